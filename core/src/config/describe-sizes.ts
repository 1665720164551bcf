import { RlenvError } from '../errors/rlenv-error.ts'
import type { ResolvedConfig } from './rlenv-config.ts'

/** How large a training step is, in words and numbers. */
export interface SizesDescription {
  /** "tasksPerStep 16 × rolloutsPerTask 8 = 128 trajectories per step; ÷ 4 optimizer steps = 32 trajectories each" */
  readonly equation: string
  /** What to expect of these sizes, one sentence each. */
  readonly notes: readonly string[]
  /** What is likely to disappoint, one sentence each. */
  readonly warnings: readonly string[]
  readonly trajectoriesPerStep: number
  /** Rounded up when the division leaves a rest. */
  readonly trajectoriesPerOptimizerStep: number
}

/** Success rates for which the share of flat groups is told: a hard task, and one half solved. */
const toldRates = [0.18, 0.5] as const
/** Above this share of flat groups on a hard task, most rollouts teach nothing. */
const manyFlat = 0.5

/** The sizes of a training step as a printable equation, with what follows from them. */
export function describeSizes(config: Pick<ResolvedConfig, 'training'>): SizesDescription {
  const { tasksPerStep, rolloutsPerTask, optimizerStepsPerStep } = config.training
  const trajectories = tasksPerStep * rolloutsPerTask
  const each = trajectories / optimizerStepsPerStep
  const head = `tasksPerStep ${tasksPerStep} × rolloutsPerTask ${rolloutsPerTask} = ${trajectories} trajectories per step`
  const split = Number.isInteger(each) ? `${each}` : `${Math.floor(each)} or ${Math.ceil(each)}`
  const tail =
    optimizerStepsPerStep === 1
      ? '1 optimizer step'
      : `÷ ${optimizerStepsPerStep} optimizer steps = ${split} trajectories each`
  return {
    equation: `${head}; ${tail}`,
    notes: [flatNote(rolloutsPerTask)],
    warnings: warningsFor(rolloutsPerTask, optimizerStepsPerStep, each),
    trajectoriesPerStep: trajectories,
    trajectoriesPerOptimizerStep: Math.ceil(each),
  }
}

/**
 * Expected share of groups whose rollouts all succeed or all fail, and therefore carry no gradient.
 *
 * @param groupSize - G, rollouts per task.
 * @param successRate - probability p, 0 to 1, that one rollout succeeds; the share is p^G + (1 − p)^G.
 */
export function flatGroupShare(groupSize: number, successRate: number): number {
  return successRate ** groupSize + (1 - successRate) ** groupSize
}

/**
 * Refuses sizes with which no training step can work.
 *
 * @throws {RlenvError} RLENV_GROUP_TOO_SMALL, RLENV_CONFIG_INVALID
 */
export function checkSizes(config: ResolvedConfig): void {
  const { tasksPerStep, rolloutsPerTask, optimizerStepsPerStep, warnAfterDeadSteps, stopAfterDeadSteps } =
    config.training
  if (rolloutsPerTask < 2) {
    throw new RlenvError(
      `training.rolloutsPerTask is ${rolloutsPerTask}: a rollout's advantage is its reward minus its group's mean, so a group of one always has advantage 0`,
      { code: 'RLENV_GROUP_TOO_SMALL', fix: 'Set training.rolloutsPerTask to 2 or more.' },
    )
  }
  refuseAbove(
    'training.optimizerStepsPerStep',
    optimizerStepsPerStep,
    'the trajectories of a step',
    tasksPerStep * rolloutsPerTask,
  )
  refuseAbove('training.warnAfterDeadSteps', warnAfterDeadSteps, 'training.stopAfterDeadSteps', stopAfterDeadSteps)
  const { tasksPerEnvironment, minTasksPerEnvironment } = config.synthesis
  refuseAbove(
    'synthesis.minTasksPerEnvironment',
    minTasksPerEnvironment,
    'synthesis.tasksPerEnvironment',
    tasksPerEnvironment,
  )
}

function refuseAbove(path: string, value: number, limit: string, most: number): void {
  if (value <= most) return
  throw new RlenvError(`${path} is ${value}, more than ${limit} (${most})`, {
    code: 'RLENV_CONFIG_INVALID',
    fix: `Set ${path} to ${most} or less.`,
  })
}

function flatNote(groupSize: number): string {
  const shares = toldRates.map(
    (rate) => `${percent(flatGroupShare(groupSize, rate))} at a success rate of ${percent(rate)}`,
  )
  return `expected share of flat groups, which carry no gradient: ${shares.join(', ')}`
}

function warningsFor(groupSize: number, optimizerSteps: number, each: number): string[] {
  const hard = flatGroupShare(groupSize, toldRates[0])
  const flat = `groups of ${groupSize} leave ${percent(hard)} of hard tasks (success rate ${percent(toldRates[0])}) without a gradient; a flat curve then says little`
  const uneven = `${optimizerSteps} optimizer steps do not divide the trajectories of a step evenly`
  return [...(hard > manyFlat ? [flat] : []), ...(Number.isInteger(each) ? [] : [uneven])]
}

function percent(share: number): string {
  return `${(share * 100).toPrecision(2).replace(/\.0$/, '')} %`
}
