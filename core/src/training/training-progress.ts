import { RlenvError } from '../errors/rlenv-error.ts'
import type { Learner } from '../hooks/roles.ts'
import type { CollectedStep } from './collect-step.ts'
import type { CollectionOrigin } from './collection-ahead.ts'
import { type DeadStreak, nextStreak, noDeadSteps } from './dead-steps.ts'
import type { OptimizeReport } from './optimize-step.ts'
import type { FreshGroups } from './stale-groups.ts'
import { saveCheckpoint, type TrainingCheckpoint, type TrainingCounters } from './training-checkpoint.ts'
import type { TrainingFingerprint } from './training-fingerprint.ts'
import type { TrainingSession } from './training-session.ts'

/** What a step that is over came to. */
interface LearntStep {
  readonly collected: CollectedStep
  readonly update: OptimizeReport
  readonly dropped: FreshGroups['dropped']
  /** Whether anything had an advantage. */
  readonly alive: boolean
}

/** How far a run has come, as of its last finished step; a step in flight changes nothing here. */
export class TrainingProgress {
  readonly fingerprint: TrainingFingerprint
  finishedSteps = 0
  deadStreak: DeadStreak = noDeadSteps
  counters: TrainingCounters = { rollouts: 0, optimizerSteps: 0, deadSteps: 0 }
  #origin: CollectionOrigin
  /** Finished steps of the newest checkpoint on disk; -1 when there is none. */
  #savedSteps = -1
  /** False while the learner is between two published versions, so that its state belongs to no finished step. */
  #settled = true

  constructor(fingerprint: TrainingFingerprint, origin: CollectionOrigin) {
    this.fingerprint = fingerprint
    this.#origin = origin
  }

  /** Ordinal of the oldest draw that was not trained on. */
  get frontier(): number {
    return this.#origin.frontier
  }

  /** Takes a checkpoint over. The learner must have loaded its part before. `origin` is what the next step starts from. */
  restore(checkpoint: TrainingCheckpoint, learner: Pick<Learner, 'policyVersion'>, origin: CollectionOrigin): void {
    if (learner.policyVersion !== checkpoint.policyVersion) {
      throw new RlenvError(
        `the learner came back with policy version ${learner.policyVersion}, the checkpoint has ${checkpoint.policyVersion}`,
        { code: 'RLENV_CHECKPOINT_INVALID', fix: 'Resume from an older checkpoint, or start a new run.' },
      )
    }
    this.#origin.release()
    this.#origin = origin
    this.finishedSteps = checkpoint.finishedSteps
    this.deadStreak = checkpoint.deadStreak
    this.counters = checkpoint.counters
    this.#savedSteps = checkpoint.finishedSteps
  }

  /** The learner is about to change. */
  learning(): void {
    this.#settled = false
  }

  /** A step is over: its weights are published. `next` is what the step after it starts from. */
  finish({ collected, update, dropped, alive }: LearntStep, next: CollectionOrigin): void {
    this.#settled = true
    this.#origin.release()
    this.#origin = next
    this.finishedSteps += 1
    this.deadStreak = nextStreak(this.deadStreak, alive, collected.generated, dropped)
    const rollouts = collected.generated.reduce((total, { members }) => total + members.length, 0)
    this.counters = {
      rollouts: this.counters.rollouts + rollouts,
      optimizerSteps: this.counters.optimizerSteps + update.applied,
      deadSteps: this.counters.deadSteps + (alive ? 0 : 1),
    }
  }

  /** Writes the last finished step down, unless it is on disk; returns the folder, or null when nothing was written. */
  async save(root: string, { learner, pins }: TrainingSession): Promise<string | null> {
    if (!this.#settled || this.#savedSteps === this.finishedSteps) return null
    const { frontier, sampler, memory } = this.#origin
    const checkpoint = {
      finishedSteps: this.finishedSteps,
      frontier,
      policyVersion: learner.policyVersion,
      sampler,
      deadStreak: this.deadStreak,
      counters: this.counters,
      fingerprint: this.fingerprint,
    }
    const saveLearner = (folder: string) => learner.save(folder)
    const directory = await saveCheckpoint(root, { checkpoint, memory, pinned: pins.pinned, saveLearner })
    this.#savedSteps = this.finishedSteps
    return directory
  }
}
