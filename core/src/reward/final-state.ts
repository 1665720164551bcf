import { isRlenvError } from '../errors/rlenv-error.ts'
import type { StateReader } from '../hooks/world.ts'
import type { Verdict } from '../vocabulary/outcome.ts'

/** A final state as a verifier reads it, which remembers whether calls have left more in it than can be asked about. */
export class FinalState implements StateReader {
  readonly #state: StateReader
  #refusal: Error | null = null

  constructor(state: StateReader) {
    this.#state = state
  }

  get tables(): readonly string[] {
    return this.#state.tables
  }

  /** Why a query was refused; null when none was. */
  get refusal(): Error | null {
    return this.#refusal
  }

  rows(table: string): ReturnType<StateReader['rows']> {
    return this.#state.rows(table)
  }

  query(...asked: Parameters<StateReader['query']>): ReturnType<StateReader['query']> {
    try {
      return this.#state.query(...asked)
    } catch (thrown) {
      if (isRlenvError(thrown) && thrown.code === 'RLENV_STATE_TOO_LARGE') this.#refusal = thrown
      throw thrown
    }
  }
}

/** Only a policy's calls make a state so large: that must not keep a rollout from being scored. */
export function outgrownVerdict({ message }: Error): Verdict {
  const evidence = [{ name: 'state can be read', passed: false, note: message }]
  return { kind: 'failed', passed: false, score: 0, evidence }
}
