import type { Kept } from '../hooks/plugin.ts'
import type { TrainingBatch } from '../hooks/roles.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import { FailureTally } from '../rollout/failure-tally.ts'
import { LoopLag } from '../telemetry/loop-lag.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import type { CollectedStep, StepPosition, WaitingStep } from './collect-step.ts'
import type { OptimizeReport } from './optimize-step.ts'
import type { FreshGroups, StaleCause } from './stale-groups.ts'
import { stepMetrics } from './step-metrics.ts'
import type { TrainingRun } from './training-session.ts'

/** A step whose rollouts are over. */
export interface StepRollouts {
  readonly waiting: WaitingStep
  readonly position: StepPosition
  readonly recorder: StepRecorder
}

/** A step that is over. */
export interface StepResult {
  readonly collected: CollectedStep
  readonly batch: TrainingBatch
  readonly update: OptimizeReport
  readonly position: StepPosition
  /** What was too old, or of several versions, to be learnt from. */
  readonly dropped: FreshGroups['dropped']
  /** Stored members that were too old by then. */
  readonly expired: number
  /** Before and after the step. */
  readonly learnerVersion: number
  readonly policyVersion: number
}

/** Failed attempts that are read from the buffer and written at a time. */
const attemptsAtATime = 64

/**
 * Writes down what one training step did; its rollouts only every so many steps, see `output.tracesEverySteps`. Groups that
 * nothing was taken from or added to are written once, as `all`.
 */
export class StepRecorder {
  readonly #run: TrainingRun
  readonly #tally = new FailureTally()
  readonly #failed: Kept<JudgedTrajectory>[] = []
  readonly #timings: RolloutTiming[] = []
  readonly #startedAt: number
  readonly #lag = new LoopLag()
  #collectedAt: number
  #waitingSince: number
  #learningSince: number

  constructor(run: TrainingRun) {
    this.#run = run
    this.#startedAt = run.clock.now()
    this.#collectedAt = this.#startedAt
    this.#waitingSince = this.#startedAt
    this.#learningSince = this.#startedAt
  }

  group(group: TrajectoryGroup): void {
    for (const member of group.members) this.#tally.add(member)
  }

  failedAttempts(attempts: readonly JudgedTrajectory[]): void {
    this.#failed.push(...attempts.map((attempt) => this.#run.pipeline.buffer.keep(attempt)))
  }

  timing(timing: RolloutTiming): void {
    this.#timings.push(timing)
  }

  /** The step's rollouts are over. */
  collected(): void {
    this.#collectedAt = this.#run.clock.now()
  }

  /** The rest of the step's time is the learner's, which has waited for the rollouts since then. */
  learning(waitingSince: number): void {
    this.#waitingSince = waitingSince
    this.#learningSince = this.#run.clock.now()
  }

  /**
   * Traces, failed attempts, timings and metrics, in this order; then the event. Traces and metrics hold no time, so that
   * equal seeds give equal bytes.
   */
  async write({
    collected,
    batch,
    update,
    position,
    dropped,
    expired,
    learnerVersion,
    policyVersion,
  }: StepResult): Promise<void> {
    const { records, events, config, clock } = this.#run
    const { step } = position
    const learnedAt = clock.now()
    const metrics = {
      ...stepMetrics(collected, batch, update, learnerVersion),
      ...(config.training.maxStaleness === 0 && dropped.size + expired === 0 ? {} : staleCounts(dropped, expired)),
    }
    if (step % config.output.tracesEverySteps === 0) await this.#writeRollouts(step, collected)
    await this.#writeFailed()
    await records.timings(this.#timings)
    await records.metrics({ step, policy_version: policyVersion, ...metrics })
    const { p99Ms, maxMs } = this.#lag.stop()
    const { memoryBytes, diskBytes } = this.#run.pipeline.buffer.usage
    const times = {
      'loop/lag_p99_ms': p99Ms,
      'loop/lag_max_ms': maxMs,
      'buffer/memory_mib': memoryBytes / 2 ** 20,
      'buffer/disk_mib': diskBytes / 2 ** 20,
      'time/generate': (this.#collectedAt - this.#startedAt) / 1000,
      'time/wait': (this.#learningSince - this.#waitingSince) / 1000,
      'time/learn': (learnedAt - this.#learningSince) / 1000,
    }
    events({ type: 'step:end', step, steps: config.training.steps, policyVersion, metrics: { ...metrics, ...times } })
  }

  async #writeFailed(): Promise<void> {
    while (this.#failed.length > 0) {
      const some = this.#failed.splice(0, attemptsAtATime)
      await this.#run.records.failedAttempts(some.map((attempt) => attempt.read()))
      for (const attempt of some) attempt.release()
    }
  }

  async #writeRollouts(step: number, { generated, kept }: CollectedStep): Promise<void> {
    const { records } = this.#run
    await records.rollouts({ step, split: 'train', set: 'all' }, generated)
    if (isSame(generated, kept)) return
    await records.rollouts({ step, split: 'train', set: 'effective' }, kept, generated)
  }

  /** @throws {RlenvError} RLENV_FAILURE_SHARE when too many of the step's rollouts say nothing about the policy. */
  assertFailureShare(maxFailureShare: number): void {
    this.#tally.assertBelow(maxFailureShare)
  }
}

function staleCounts(dropped: FreshGroups['dropped'], expired: number): Record<string, number> {
  const count = (cause: StaleCause) => [...dropped.values()].filter((other) => other === cause).length
  return { 'staleness/dropped': count('stale'), 'staleness/mixed': count('mixed'), 'staleness/expired': expired }
}

function isSame(generated: readonly TrajectoryGroup[], kept: readonly TrajectoryGroup[]): boolean {
  return generated.length === kept.length && generated.every((group, index) => group === kept[index])
}
