import { type Clock, systemClock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { askVerifier } from '../reward/ask-verifier.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import { type SessionCall, sessionTrajectory } from './session-record.ts'
import { type SessionState, sessionState } from './session-state.ts'

export interface JudgedSession {
  readonly environment: Environment
  readonly task: Task | null
  readonly world: WorldInstance
  readonly seed: number
  /** Everything that was called since it was opened or reset. */
  readonly calls: readonly SessionCall[]
  readonly answer: string | null
  readonly signal: AbortSignal
}

/** What the control side alone asks of a session's world, wherever that is held. */
export interface ControlSide {
  /** Valid until something else happens in the world; null when this kind of world has none to show. */
  state(world: WorldInstance): Promise<SessionState | null>
  /** Where nothing can be said, the verdict says why. @throws what keeps the world from being captured at all. */
  verdict(session: JudgedSession): Promise<Verdict>
}

export interface SessionJudgeOptions {
  /** Asked for verdicts; without one nothing can be said. */
  readonly pipeline: Pick<Pipeline, 'has' | 'judge'> | null
  /** Number that the verifiers' random streams descend from. */
  readonly seed: number
  readonly clock?: Clock
  /** Milliseconds for reading the state, and again for the verdict. */
  readonly timeoutMs: number
  /** Takes the lines that verifiers log. */
  readonly log?: (line: string) => void
}

export const unscored = (reason: string): Verdict => {
  return { kind: 'unscored', passed: false, score: 0, evidence: [], reason }
}

/** Looks at worlds that are held in this process, and asks the pipeline's verifiers about them. */
export class SessionJudge implements ControlSide {
  readonly #options: SessionJudgeOptions

  constructor(options: SessionJudgeOptions) {
    this.#options = options
  }

  async state(world: WorldInstance): Promise<SessionState | null> {
    const captured = await world.capture()
    return captured === null ? null : sessionState(captured)
  }

  async verdict({ environment, task, world, seed, calls, answer, signal }: JudgedSession): Promise<Verdict> {
    const { pipeline, clock = systemClock, timeoutMs, log } = this.#options
    if (task === null) return unscored('the session has no task')
    const verifier = environment.verifiers[task.id]
    if (verifier === undefined) return unscored(`${task.id} has no verifier`)
    if (pipeline?.has('verifier') !== true) return unscored('no plugin of the configuration fills the hook verifier')
    const diff = (await world.capture())?.diff ?? []
    const trajectory = sessionTrajectory({ task, seed, calls, answer, diff })
    const random = RandomStream.of(this.#options.seed, 'serve', 'verify', task.id)
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
