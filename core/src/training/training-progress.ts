import { RlenvError } from '../errors/rlenv-error.ts'
import type { Json } from '../vocabulary/json.ts'
import type { CollectedStep } from './collect-step.ts'
import { type DeadStreak, nextStreak, noDeadSteps } from './dead-steps.ts'
import type { OptimizeReport } from './optimize-step.ts'
import { saveCheckpoint, type TrainingCheckpoint, type TrainingCounters } from './training-checkpoint.ts'
import type { TrainingFingerprint } from './training-fingerprint.ts'
import type { TrainingSession } from './training-session.ts'

/** How far a run has come, as of its last finished step; a step in flight changes nothing here. */
export class TrainingProgress {
  readonly fingerprint: TrainingFingerprint
  finishedSteps = 0
  frontier = 0
  deadStreak: DeadStreak = noDeadSteps
  counters: TrainingCounters = { rollouts: 0, optimizerSteps: 0, deadSteps: 0 }
  #sampler: Json
  /** Finished steps of the newest checkpoint on disk; -1 when there is none. */
  #savedSteps = -1
  /** False while the learner is between two published versions, so that its state belongs to no finished step. */
  #settled = true

  constructor(fingerprint: TrainingFingerprint, { sampler }: TrainingSession) {
    this.fingerprint = fingerprint
    this.#sampler = sampler.state()
  }

  /** Takes a checkpoint over. The learner must have loaded its part before. */
  restore(checkpoint: TrainingCheckpoint, { sampler, learner }: TrainingSession): void {
    if (learner.policyVersion !== checkpoint.policyVersion) {
      throw new RlenvError(
        `the learner came back with policy version ${learner.policyVersion}, the checkpoint has ${checkpoint.policyVersion}`,
        { code: 'RLENV_CHECKPOINT_INVALID', fix: 'Resume from an older checkpoint, or start a new run.' },
      )
    }
    sampler.restore(checkpoint.sampler)
    this.#sampler = checkpoint.sampler
    this.finishedSteps = checkpoint.finishedSteps
    this.frontier = checkpoint.frontier
    this.deadStreak = checkpoint.deadStreak
    this.counters = checkpoint.counters
    this.#savedSteps = checkpoint.finishedSteps
  }

  /** The learner is about to change. */
  learning(): void {
    this.#settled = false
  }

  /** A step is over: its weights are published. */
  finish(collected: CollectedStep, update: OptimizeReport, alive: boolean, { sampler }: TrainingSession): void {
    this.#settled = true
    this.#sampler = sampler.state()
    this.finishedSteps += 1
    this.frontier = collected.frontier
    this.deadStreak = nextStreak(this.deadStreak, alive, collected.generated)
    const rollouts = collected.generated.reduce((total, { members }) => total + members.length, 0)
    this.counters = {
      rollouts: this.counters.rollouts + rollouts,
      optimizerSteps: this.counters.optimizerSteps + update.applied,
      deadSteps: this.counters.deadSteps + (alive ? 0 : 1),
    }
  }

  /** Writes the last finished step down, unless it is on disk; returns the folder, or null when nothing was written. */
  async save(root: string, { learner }: TrainingSession): Promise<string | null> {
    if (!this.#settled || this.#savedSteps === this.finishedSteps) return null
    const checkpoint: TrainingCheckpoint = {
      format: 1,
      finishedSteps: this.finishedSteps,
      frontier: this.frontier,
      policyVersion: learner.policyVersion,
      sampler: this.#sampler,
      deadStreak: this.deadStreak,
      counters: this.counters,
      fingerprint: this.fingerprint,
    }
    const directory = await saveCheckpoint(root, checkpoint, (folder) => learner.save(folder))
    this.#savedSteps = this.finishedSteps
    return directory
  }
}
