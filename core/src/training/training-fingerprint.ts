import { z } from 'zod'
import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { contentHash } from '../determinism/content-hash.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { EnvironmentSplit } from '../evaluation/split-environments.ts'
import type { HookName } from '../hooks/pipeline-hooks.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { Environment } from '../vocabulary/environment.ts'

/** What a run's numbers depend on, as text by name. Two runs with equal fingerprints train on the same draws. */
export interface TrainingFingerprint {
  /** Environment id → hash of its content and whether it is held out. */
  readonly dataset: Readonly<Record<string, string>>
  /** Setting → its value as JSON. */
  readonly settings: Readonly<Record<string, string>>
  /** Hook point and position → plugin, version and hash of its options. */
  readonly plugins: Readonly<Record<string, string>>
}

const entries = z.record(z.string(), z.string())

export const trainingFingerprintSchema: z.ZodType<TrainingFingerprint> = z.strictObject({
  dataset: entries,
  settings: entries,
  plugins: entries,
})

const hooks: readonly HookName[] = [
  'verifier',
  'rewardShaper',
  'sampler',
  'groups',
  'algorithm',
  'learner',
  'policy',
  'world',
  'rollout',
]

/** Settings that may change when a run goes on: how long it is, how fast, where it writes, and when it gives up. */
function settingsOf({ seed, rollout, training, evaluation }: ResolvedConfig): Record<string, unknown> {
  const { maxTurns, maxToolCalls, maxResultChars, temperature, topP, maxTokens } = rollout
  const { tasksPerStep, rolloutsPerTask, optimizerStepsPerStep, maxRefills, maxStaleness } = training
  const { heldOutShare, splitSeed, maxTasks, greedy } = evaluation
  return {
    seed,
    'rollout.maxTurns': maxTurns,
    'rollout.maxToolCalls': maxToolCalls,
    'rollout.maxResultChars': maxResultChars,
    'rollout.temperature': temperature,
    'rollout.topP': topP,
    'rollout.maxTokens': maxTokens,
    'training.tasksPerStep': tasksPerStep,
    'training.rolloutsPerTask': rolloutsPerTask,
    'training.optimizerStepsPerStep': optimizerStepsPerStep,
    'training.maxRefills': maxRefills,
    'training.maxStaleness': maxStaleness,
    'evaluation.heldOutShare': heldOutShare,
    'evaluation.splitSeed': splitSeed,
    'evaluation.rolloutsPerTask': evaluation.rolloutsPerTask,
    'evaluation.temperature': evaluation.temperature,
    'evaluation.maxTasks': maxTasks,
    'evaluation.greedy': greedy,
  }
}

export function trainingFingerprint(
  config: ResolvedConfig,
  pipeline: Pipeline,
  { train, heldOut }: EnvironmentSplit,
): TrainingFingerprint {
  const hashed = (side: string, environments: readonly Environment[]) =>
    environments.map((environment) => [environment.id, `${side} ${contentHash(environment)}`] as const)
  const filled = hooks.flatMap((hook) =>
    pipeline.producers(hook).map(({ name, version, options }, position) => {
      return [`${hook}[${position}]`, `${name}@${version} ${contentHash(options ?? null).slice(0, 12)}`] as const
    }),
  )
  const settings = Object.entries(settingsOf(config)).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return {
    dataset: Object.fromEntries([...hashed('train', train), ...hashed('held-out', heldOut)]),
    settings: Object.fromEntries(settings),
    plugins: Object.fromEntries(filled),
  }
}

/** Most differences that one message lists. */
const listed = 8

/** What differs, in words; nothing for two runs that train on the same draws. */
export function runDifferences(saved: TrainingFingerprint, current: TrainingFingerprint): readonly string[] {
  return [
    ...differing(saved.settings, current.settings, (name, was, is) => `${name} was ${was} and is ${is}`),
    ...differing(saved.plugins, current.plugins, (name, was, is) => `${name} was ${was} and is ${is}`),
    ...differing(saved.dataset, current.dataset, datasetDifference),
  ]
}

/** Hook points that decide what a rollout is and what reward it earns. */
const judging = /^(world|rollout|verifier|rewardShaper)\[/

/** Whether rollouts of one run would be played and judged alike in the other, as far as both have their environments. */
export function judgesAlike(saved: TrainingFingerprint, current: TrainingFingerprint): boolean {
  const contentOf = (text: string | undefined) => text?.split(' ')[1]
  const changed = Object.keys(saved.dataset).some((id) => {
    return Object.hasOwn(current.dataset, id) && contentOf(saved.dataset[id]) !== contentOf(current.dataset[id])
  })
  const plugins = [...Object.keys(saved.plugins), ...Object.keys(current.plugins)].filter((name) => judging.test(name))
  return !changed && plugins.every((name) => saved.plugins[name] === current.plugins[name])
}

/** @throws {RlenvError} RLENV_RESUME_REFUSED listing what differs. */
export function assertSameRun(differences: readonly string[]): void {
  if (differences.length === 0) return
  const rest = differences.length > listed ? [`and ${differences.length - listed} more`] : []
  throw new RlenvError(
    `the checkpoint belongs to another run: ${[...differences.slice(0, listed), ...rest].join('; ')}`,
    {
      code: 'RLENV_RESUME_REFUSED',
      fix: 'Restore what has changed, start a new run, or go on all the same: "rlenv resume <folder of the run> --force".',
    },
  )
}

function differing(
  saved: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
  describe: (name: string, was: string, is: string) => string,
): string[] {
  const names = [...new Set([...Object.keys(saved), ...Object.keys(current)])]
  return names
    .filter((name) => saved[name] !== current[name])
    .map((name) => describe(name, saved[name] ?? 'absent', current[name] ?? 'absent'))
}

function datasetDifference(id: string, was: string, is: string): string {
  if (was === 'absent') return `environment ${id} is new`
  if (is === 'absent') return `environment ${id} is missing`
  const sides = [was, is].map((text) => text.split(' ')[0])
  return sides[0] === sides[1] ? `environment ${id} has changed` : `environment ${id} moved from ${sides.join(' to ')}`
}
