import { type Clock, systemClock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { askVerifier } from '../reward/ask-verifier.ts'
import { defaultVerifierTimeoutMs } from '../reward/judge-rollout.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import type { Trajectory } from '../vocabulary/trajectory.ts'

export interface JudgedSession {
  readonly environment: Environment
  readonly task: Task | null
  readonly world: WorldInstance
  readonly trajectory: Trajectory | null
  readonly signal: AbortSignal
}

export interface SessionJudgeOptions {
  /** Asked for verdicts; without one nothing can be said. */
  readonly pipeline: Pipeline | null
  /** Number that the verifiers' random streams descend from. */
  readonly seed: number
  readonly clock?: Clock
  readonly timeoutMs?: number
  /** Takes the lines that verifiers log. */
  readonly log?: (line: string) => void
}

const unscored = (reason: string): Verdict => ({ kind: 'unscored', passed: false, score: 0, evidence: [], reason })

/** Asks the pipeline's verifiers about sessions. Never rejects: where nothing can be said, the verdict says why. */
export class SessionJudge {
  readonly #options: SessionJudgeOptions

  constructor(options: SessionJudgeOptions) {
    this.#options = options
  }

  async verdict({ environment, task, world, trajectory, signal }: JudgedSession): Promise<Verdict> {
    const { pipeline, seed, clock = systemClock, timeoutMs = defaultVerifierTimeoutMs, log } = this.#options
    if (task === null || trajectory === null) return unscored('the session has no task')
    const verifier = environment.verifiers[task.id]
    if (verifier === undefined) return unscored(`${task.id} has no verifier`)
    if (pipeline?.has('verifier') !== true) return unscored('no plugin of the configuration fills the hook verifier')
    const random = RandomStream.of(seed, 'serve', 'verify', task.id)
    const { verdict } = await askVerifier({
      input: { environment, task, verifier, trajectory },
      world,
      pipeline,
      context: { random, signal, log: log ?? (() => undefined) },
      clock,
      timeoutMs,
    })
    return verdict.kind === 'failure' ? unscored(verdict.message) : verdict
  }
}
