import { availableParallelism } from 'node:os'
import { connect, type McpConnection } from './mcp-connection.ts'
import { ProcessReaper } from './process-reaper.ts'
import type { ServerTarget } from './server-target.ts'

export interface PoolOptions {
  /** Most connections in use at a time; whoever comes later waits. */
  readonly maxConcurrent: number
  /** Connections that are opened ahead of need, besides those. */
  readonly prefetch: number
  readonly startTimeoutMs: number
  readonly log: (line: string) => void
}

interface Idle {
  readonly key: string
  readonly connecting: Promise<McpConnection>
}

interface Waiter {
  readonly admit: () => void
}

/** A connection that one instance uses until it ends it. */
export interface Lease {
  readonly connection: McpConnection
  /** Frees the place at once and ends the connection. */
  end(): Promise<void>
}

/** Starting a server is work for the processor: more at a time only makes all of them late. */
const startsAtOnce = Math.max(4, 2 * availableParallelism())

/** Counts what may go on at a time. Whoever waits is let in in the order of coming. */
class Turnstile {
  readonly most: number
  readonly #queue: Waiter[] = []
  #inside = 0

  constructor(most: number) {
    this.most = most
  }

  get isFull(): boolean {
    return this.#inside >= this.most
  }

  enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.isFull) {
      this.#inside += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(waiter)
    })
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#inside -= 1
    else next.admit()
  }
}

/** Connections for the instances of one world: each is used once, the next ones are started while others are in use. */
export class ConnectionPool {
  readonly #options: PoolOptions
  readonly #reaper: ProcessReaper
  readonly #use: Turnstile
  readonly #starts = new Turnstile(startsAtOnce)
  /** Servers with one state for all their sessions, by key: one instance at a time. */
  readonly #shared = new Map<string, Turnstile>()
  readonly #live = new Set<McpConnection>()
  readonly #closing = new AbortController()
  #idle: Idle[] = []
  #saidFull = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#reaper = new ProcessReaper(options.log)
    this.#use = new Turnstile(options.maxConcurrent)
  }

  /** @throws {RlenvError} RLENV_SERVER_FAILED; the signal's reason when it aborts. */
  async take(target: ServerTarget, signal: AbortSignal): Promise<Lease> {
    const either = AbortSignal.any([signal, this.#closing.signal])
    const leave = await this.#enter(target, either)
    try {
      const connection = (await this.#ready(target)) ?? (await this.#start(target, either))
      this.prefetch(target)
      return this.#lease(connection, leave)
    } catch (cause) {
      leave()
      throw cause
    }
  }

  /** Starts what the next instances will need. What was started for another server makes room. */
  prefetch(target: ServerTarget): void {
    if (this.#closing.signal.aborted || this.#options.prefetch === 0) return
    const others = this.#idle.filter(({ key }) => key !== target.key)
    this.#idle = this.#idle.filter(({ key }) => key === target.key)
    for (const idle of others) this.#discard(idle)
    while (this.#idle.length < this.#options.prefetch) {
      const connecting = this.#start(target, this.#closing.signal)
      const idle = { key: target.key, connecting }
      // Whoever needs a server next tries for itself and reports what is wrong.
      connecting.catch(() => this.#forget(idle))
      this.#idle.push(idle)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the world is closed'))
    await Promise.allSettled(this.#idle.map(({ connecting }) => connecting))
    await Promise.all([...this.#live].map((connection) => connection.close()))
    this.#reaper.close()
  }

  /** Waits for a place; the function gives it back. */
  async #enter(target: ServerTarget, signal: AbortSignal): Promise<() => void> {
    const gates = target.isShared ? [this.#gateOf(target), this.#use] : [this.#use]
    const entered: Turnstile[] = []
    const leave = () => {
      for (const gate of entered.splice(0)) gate.leave()
    }
    try {
      for (const gate of gates) {
        if (gate.isFull) this.#sayFull(gate.most)
        await gate.enter(signal)
        entered.push(gate)
      }
      return leave
    } catch (cause) {
      leave()
      throw cause
    }
  }

  #gateOf({ key }: ServerTarget): Turnstile {
    const gate = this.#shared.get(key) ?? new Turnstile(1)
    this.#shared.set(key, gate)
    return gate
  }

  #lease(connection: McpConnection, leave: () => void): Lease {
    return {
      connection,
      end: async () => {
        leave()
        await this.#end(connection)
      },
    }
  }

  /** One that was started ahead and is still alive. */
  async #ready(target: ServerTarget): Promise<McpConnection | null> {
    for (;;) {
      const idle = this.#idle.find(({ key }) => key === target.key)
      if (idle === undefined) return null
      this.#forget(idle)
      const connection = await idle.connecting.catch(() => null)
      if (connection === null) return null
      if (connection.fault === null) return connection
      await this.#end(connection)
    }
  }

  async #start(target: ServerTarget, signal: AbortSignal): Promise<McpConnection> {
    await this.#starts.enter(signal)
    try {
      const { startTimeoutMs } = this.#options
      const connection = await connect(target, { startTimeoutMs, reaper: this.#reaper }, signal)
      this.#live.add(connection)
      return connection
    } finally {
      this.#starts.leave()
    }
  }

  async #end(connection: McpConnection): Promise<void> {
    this.#live.delete(connection)
    await connection.close()
  }

  #forget(idle: Idle): void {
    this.#idle = this.#idle.filter((one) => one !== idle)
  }

  #discard({ connecting }: Idle): void {
    connecting.then(
      (connection) => this.#end(connection),
      () => undefined,
    )
  }

  #sayFull(most: number): void {
    if (this.#saidFull) return
    this.#saidFull = true
    this.#options.log(`${most} instances are open and others wait; set rollout.maxConcurrentRollouts to ${most}`)
  }
}
