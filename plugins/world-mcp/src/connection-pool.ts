import { availableParallelism } from 'node:os'
import { connect, type McpConnection } from './mcp-connection.ts'
import { ProcessReaper } from './process-reaper.ts'
import type { ServerTarget } from './server-target.ts'
import { Turnstile } from './turnstile.ts'

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

/** A connection that one instance uses until it ends it. */
export interface Lease {
  readonly connection: McpConnection
  /** Frees the place at once and ends the connection. */
  end(): Promise<void>
}

/** Starting a server is work for the processor: more at a time only makes all of them late. */
const startsAtOnce = Math.max(4, 2 * availableParallelism())

/** So many instances in a row, per server started ahead, may want other servers before the oldest of these is given up. */
const patience = 4

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
  readonly #starting = new Set<Promise<McpConnection>>()
  /** Started ahead of need, oldest first. */
  #idle: Idle[] = []
  /** How many instances in a row found nothing that was started for them. */
  #misses = 0
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
      this.#lookAhead(target)
      return this.#lease(connection, leave)
    } catch (cause) {
      leave()
      throw cause
    }
  }

  /** Starts a server that an instance will need soon, if there is room for one more. */
  prefetch(target: ServerTarget): void {
    if (this.#closing.signal.aborted || this.#idle.length >= this.#options.prefetch) return
    const idle = { key: target.key, connecting: this.#start(target, this.#closing.signal) }
    // Whoever needs a server next tries for itself and reports what is wrong.
    idle.connecting.catch(() => this.#forget(idle))
    this.#idle.push(idle)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the world is closed'))
    await Promise.allSettled(this.#starting)
    await Promise.all([...this.#live].map((connection) => connection.close()))
    this.#reaper.close()
  }

  /** After an instance has got its server: the next one is likely to want the same. */
  #lookAhead(target: ServerTarget): void {
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#misses > patience * this.#options.prefetch) {
      this.#misses = 0
      this.#forget(oldest)
      // If it never got ready, there is nothing to end.
      oldest.connecting.then((connection) => this.#end(connection)).catch(() => undefined)
    }
    this.prefetch(target)
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
      this.#misses = idle === undefined ? this.#misses + 1 : 0
      if (idle === undefined) return null
      this.#forget(idle)
      const connection = await idle.connecting.catch(() => null)
      if (connection === null) return null
      if (connection.fault === null) return connection
      await this.#end(connection)
    }
  }

  #start(target: ServerTarget, signal: AbortSignal): Promise<McpConnection> {
    const starting = this.#connect(target, signal)
    this.#starting.add(starting)
    const forget = () => void this.#starting.delete(starting)
    starting.then(forget, forget)
    return starting
  }

  async #connect(target: ServerTarget, signal: AbortSignal): Promise<McpConnection> {
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

  #sayFull(most: number): void {
    if (this.#saidFull) return
    this.#saidFull = true
    this.#options.log(`${most} instances are open and others wait; set rollout.maxConcurrentRollouts to ${most}`)
  }
}
