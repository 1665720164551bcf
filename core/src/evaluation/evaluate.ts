import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Draw, Policy } from '../hooks/roles.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import type { RolloutEngine } from '../rollout/rollout-engine.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Task } from '../vocabulary/task.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { type EvaluationReport, type EvaluationSummary, failureShare } from './evaluation-report.ts'
import { type RolloutEnding, summarizeRollouts, type TaskRollouts } from './summarize-rollouts.ts'

export interface EvaluateOptions {
  readonly engine: RolloutEngine
  /** Which must be among the engine's own. */
  readonly environments: readonly Environment[]
  readonly settings: ResolvedConfig['evaluation']
  /** The run's. A task's world has one seed in every evaluation of the run, so that reports can be compared in pairs. */
  readonly seed: number
  readonly policy: Policy
  /** Training steps behind the policy; null outside training. */
  readonly step: number | null
  /**
   * Takes every group as soon as it is finished, in the order of tasks: first the sampled ones, then the greedy ones. It is
   * waited for, and the group is not kept.
   */
  readonly onGroup?: (group: TrajectoryGroup) => void | Promise<void>
  /** Told how many rollouts are to come. */
  readonly events?: EventSink
  readonly onFailedAttempts?: (attempts: readonly JudgedTrajectory[]) => void
  readonly onTiming?: (timing: RolloutTiming) => void
}

/**
 * Plays every task of the environments with the engine that training uses, sampled and (if asked) greedy.
 *
 * Does not judge its own share of failures: write the report down, then call {@link assertFailureShare}.
 *
 * @throws {RlenvError} RLENV_INTERRUPTED when the signal aborts.
 */
export async function evaluate(options: EvaluateOptions, signal: AbortSignal): Promise<EvaluationReport> {
  const { environments, settings, policy, step, seed } = options
  const all = environments.flatMap((environment) => environment.tasks)
  const tasks = settings.maxTasks === null ? all : all.slice(0, settings.maxTasks)
  const sampled = { name: 'sampled', temperature: settings.temperature, rolloutsPerTask: settings.rolloutsPerTask }
  const greedy = { name: 'greedy', temperature: 0, rolloutsPerTask: 1 }
  const { policyVersion, name } = policy
  const rollouts = tasks.length * (sampled.rolloutsPerTask + (settings.greedy ? greedy.rolloutsPerTask : 0))
  options.events?.({ type: 'evaluation:start', step, rollouts })
  return {
    format: 1,
    policy: name,
    policyVersion,
    step,
    seed,
    environments: new Set(tasks.map(({ environmentId }) => environmentId)).size,
    tasks: tasks.length,
    confidence: settings.confidence,
    sampled: await play(options, tasks, sampled, signal),
    greedy: settings.greedy ? await play(options, tasks, greedy, signal) : null,
  }
}

/** @throws {RlenvError} RLENV_FAILURE_SHARE with counts by cause when too large a share says nothing about the policy. */
export function assertFailureShare(report: EvaluationReport, maxFailureShare: number): void {
  const share = failureShare(report)
  if (share <= maxFailureShare) return
  const counts = new Map<string, number>()
  for (const [cause, count] of [report.sampled, ...(report.greedy ? [report.greedy] : [])].flatMap(failuresOf)) {
    counts.set(cause, (counts.get(cause) ?? 0) + count)
  }
  const causes = [...counts].sort(([, a], [, b]) => b - a).map(([cause, count]) => `${count} ${cause}`)
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`
  throw new RlenvError(
    `${percent(share)} of the evaluation's rollouts faulted or stayed unscored, more than ${percent(maxFailureShare)}: ` +
      causes.join(', '),
    {
      code: 'RLENV_FAILURE_SHARE',
      fix: 'Repair the most frequent cause, or raise evaluation.maxFailureShare.',
    },
  )
}

function failuresOf({ errors }: EvaluationSummary): readonly (readonly [string, number])[] {
  return Object.entries(errors).filter(([cause]) => !cause.startsWith('policy_fault/'))
}

interface Way {
  readonly name: string
  readonly temperature: number
  readonly rolloutsPerTask: number
}

async function play(
  { engine, settings, seed, step, policy, onGroup, onFailedAttempts, onTiming }: EvaluateOptions,
  tasks: readonly Task[],
  way: Way,
  signal: AbortSignal,
): Promise<EvaluationSummary> {
  const prefix = step === null ? `eval-${way.name}` : `eval-${step}-${way.name}`
  const draws = tasks.map((task, ordinal): Draw => {
    return {
      id: `${prefix}-${ordinal}`,
      ordinal,
      taskId: task.id,
      environmentId: task.environmentId,
      seed: RandomStream.of(seed, 'eval', 'world', task.id).uint32(),
      policyVersion: policy.policyVersion,
    }
  })
  const request = {
    draws,
    rolloutsPerDraw: way.rolloutsPerTask,
    purpose: 'eval',
    sampling: { temperature: way.temperature },
    policy,
    ...(onFailedAttempts ? { onFailedAttempts } : {}),
    ...(onTiming ? { onTiming } : {}),
  } as const
  const played: TaskRollouts[] = []
  for await (const group of engine.collect(request, signal)) {
    const task = tasks[group.ordinal]
    if (task !== undefined) played.push({ task, rollouts: group.members.map(endingOf) })
    await onGroup?.(group)
  }
  const random = RandomStream.of(seed, 'bootstrap', way.name)
  return summarizeRollouts(played, { ...way, confidence: settings.confidence, random })
}

function endingOf({ outcome, verdict, reward, trajectory: { stopReason } }: JudgedTrajectory): RolloutEnding {
  return { outcome, verdict, reward, trajectory: { stopReason } }
}

/** The numbers of a report that belong into a run's metrics. */
export function evaluationMetrics({ sampled, greedy }: EvaluationReport): Readonly<Record<string, number>> {
  const known = (name: string, value: number | null | undefined) => (typeof value === 'number' ? { [name]: value } : {})
  const passes = sampled.pass.flatMap(({ k, passAtK, passHatK }) => [
    known(`eval/pass@${k}`, passAtK),
    ...(k > 1 ? [known(`eval/pass^${k}`, passHatK)] : []),
  ])
  return Object.assign(
    {},
    ...passes,
    known('eval/pass@1_low', sampled.pass1.low),
    known('eval/pass@1_high', sampled.pass1.high),
    known('eval/greedy_pass@1', greedy?.pass1.value),
    known('eval/reward/mean', sampled.meanReward),
    { 'eval/error_rate': sampled.errorRate, 'eval/unscored_rate': sampled.unscoredRate },
  ) as Record<string, number>
}
