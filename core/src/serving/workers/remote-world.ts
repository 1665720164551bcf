import { failed } from '../../environment/tools/tool-failure.ts'
import type { CallOutcome, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { SessionState, SessionStateReader } from '../session-state.ts'
import type { SessionWorker } from './session-worker.ts'
import type { ReadQuestion, VerifyQuestion } from './worker-messages.ts'

/** A world that a worker holds, from outside. Once its worker is lost, whatever is asked of it fails and says why. */
export class RemoteWorld implements WorldInstance {
  readonly tools: readonly ToolDefinition[]
  readonly #worker: SessionWorker
  readonly #number: number

  private constructor(worker: SessionWorker, number: number, tools: readonly ToolDefinition[]) {
    this.#worker = worker
    this.#number = number
    this.tools = tools
  }

  /** @param number - names it in messages and marks; above 0. */
  static async open(worker: SessionWorker, number: number, { environment, seed }: WorldRequest): Promise<RemoteWorld> {
    worker.load++
    try {
      worker.learn(environment)
      const offered = await worker.ask(number, 'open', { environmentId: environment.id, seed })
      return new RemoteWorld(worker, number, worker.toolsOf(offered))
    } catch (error) {
      worker.load--
      throw error
    }
  }

  async call(name: string, args: Json, signal: AbortSignal): Promise<CallOutcome> {
    if (signal.aborted) return cancelled(name)
    const cancel = () => this.#worker.cancel(this.#number)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await this.#worker.ask(this.#number, 'call', { name, args })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Its rows stay where they are and are asked for: {@link state} says how. */
  capture(): never {
    throw new TypeError('the state of a world in a worker cannot be handed over')
  }

  /** Valid until it is asked for again or the world is closed. */
  async state(): Promise<SessionState | null> {
    const captured = await this.#worker.ask(this.#number, 'capture', null)
    if (captured === null) return null
    const { initial, final, diff } = captured
    return { initial: this.#reader('initial', initial), final: this.#reader('final', final), diff }
  }

  verify(question: VerifyQuestion): Promise<Verdict> {
    return this.#worker.ask(this.#number, 'verify', question)
  }

  #reader(of: ReadQuestion['of'], tables: readonly string[]): SessionStateReader {
    const worker = this.#worker
    return {
      tables,
      rows: (table) => worker.ask(this.#number, 'read', { of, table }),
      query: (sql, parameters = {}) => worker.ask(this.#number, 'read', { of, sql, parameters }),
    }
  }

  /** A world whose worker is lost is closed already. */
  async close(): Promise<void> {
    this.#worker.load--
    if (this.#worker.isLost) return
    try {
      await this.#worker.ask(this.#number, 'close', null)
    } catch (error) {
      if (!this.#worker.isLost) throw error
    }
  }
}

/** As a world in this process answers a call whose caller has gone. */
function cancelled(name: string): CallOutcome {
  const message = `${name} was cancelled before it ran`
  return { result: failed({ kind: 'timeout', code: 'timeout', message }), diff: [] }
}
