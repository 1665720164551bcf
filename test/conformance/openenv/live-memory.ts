import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type RawData, WebSocket } from 'ws'

/** What makes Node open its inspector, at a port that is free. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const

/** What a process holds after a full collection, in MiB. */
export interface LiveMemory {
  /** Objects that can be reached, and the bytes outside of V8's heap that they hold on to. */
  readonly liveMib: number
  /** Resident pages; null where the system does not tell. */
  readonly residentMib: number | null
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const usage = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())'

/**
 * Looks into another Node process through its inspector. Without a forced collection memory says how lazy the collector
 * was, which differs with the machine's load; after one it says what is kept.
 */
export class MemoryProbe {
  readonly #socket: WebSocket
  readonly #pid: number
  #asked = 0

  private constructor(socket: WebSocket, pid: number) {
    this.#socket = socket
    this.#pid = pid
  }

  /** @param address - as Node announces it, `ws://127.0.0.1:<port>/<id>`. */
  static async connect(address: string, pid: number): Promise<MemoryProbe> {
    const socket = new WebSocket(address)
    await once(socket, 'open')
    return new MemoryProbe(socket, pid)
  }

  async look(): Promise<LiveMemory> {
    // Finalizers that the first one sets free let go of more.
    for (let round = 0; round < 2; round++) await this.#ask('HeapProfiler.collectGarbage')
    const { result } = (await this.#ask('Runtime.evaluate', { expression: usage })) as { result: { value: number } }
    return { liveMib: result.value / 2 ** 20, residentMib: residentMib(this.#pid) }
  }

  close(): void {
    this.#socket.terminate()
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#asked
    this.#socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [data] = (await once(this.#socket, 'message')) as [RawData]
      const reply = JSON.parse(String(data)) as Reply
      if (reply.id !== id) continue
      if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result
    }
  }
}

function residentMib(pid: number): number | null {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return null
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024
}
