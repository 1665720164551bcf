import type { CallOutcome, CapturedState, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { SessionWorker } from './session-worker.ts'
import { readCopy } from './state-copy.ts'
import type { VerifyQuestion } from './worker-messages.ts'

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
    const cancel = () => this.#worker.cancel(this.#number)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await this.#worker.ask(this.#number, 'call', { name, args })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async capture(): Promise<CapturedState | null> {
    const copy = await this.#worker.ask(this.#number, 'capture', null)
    return copy === null ? null : readCopy(copy)
  }

  verify(question: VerifyQuestion): Promise<Verdict> {
    return this.#worker.ask(this.#number, 'verify', question)
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
