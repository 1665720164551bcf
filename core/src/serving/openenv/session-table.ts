import type { JsonObject } from '../../vocabulary/json.ts'
import { OpenEnvSession, type OpenEnvSessionParts } from './openenv-session.ts'
import { scenarioKey } from './scenario-catalog.ts'
import { capacityReached, type Fault } from './server-frame.ts'

interface Entry {
  readonly session: OpenEnvSession
  /** A WebSocket speaks for it; it lives as long as that and is never reaped. */
  isAttached: boolean
  /** Closed as soon as its WebSocket lets go of it. */
  isUnwanted: boolean
}

/** What became of the wish to close a session. */
export type Closing = 'closed' | 'closing' | 'unknown'

/** The sessions of one door: those of WebSockets and those that clients address by id over HTTP. */
export class SessionTable {
  readonly #parts: OpenEnvSessionParts
  readonly #idleMs: number
  readonly #entries = new Map<string, Entry>()
  readonly #reaper: NodeJS.Timeout

  /** @param idleMs - how long a session without a WebSocket lives after the last thing that was asked of it. */
  constructor(parts: OpenEnvSessionParts, idleMs: number) {
    this.#parts = parts
    this.#idleMs = idleMs
    this.#reaper = setInterval(() => void this.reap(), Math.min(Math.max(idleMs / 4, 50), 30_000)).unref()
  }

  get size(): number {
    return this.#entries.size
  }

  /** A session without a world is a promise of one, so it counts against the capacity of the whole server. */
  open(isAttached: boolean): OpenEnvSession | Fault {
    const { broker } = this.#parts
    const promised = [...this.#entries.values()].filter(({ session }) => !session.holdsWorld).length
    const active = Math.min(broker.counts.taken + promised, broker.capacity)
    if (active >= broker.capacity) return capacityReached(active, broker.capacity)
    const session = new OpenEnvSession(this.#parts)
    this.#entries.set(session.id, { session, isAttached, isUnwanted: false })
    return session
  }

  get(id: string): OpenEnvSession | undefined {
    return this.#entries.get(id)?.session
  }

  /** Lets a WebSocket speak for a session that was opened over HTTP. */
  attach(id: string): OpenEnvSession | Fault {
    const entry = this.#entries.get(id)
    if (entry === undefined) return { code: 'SESSION_ERROR', message: `Unknown session_id: ${id.slice(0, 100)}` }
    if (entry.isAttached) return { code: 'SESSION_ERROR', message: `Session ${id} already has an attached WebSocket` }
    entry.isAttached = true
    entry.session.touch()
    return entry.session
  }

  /** The WebSocket that spoke for a session is gone. */
  async detach(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    entry.isAttached = false
    entry.session.touch()
    if (entry.isUnwanted) await this.destroy(id)
  }

  /** What a client asks for over HTTP: a session that a WebSocket speaks for is closed when that lets go. */
  async close(id: string): Promise<Closing> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return 'unknown'
    if (entry.isAttached) {
      entry.isUnwanted = true
      return 'closing'
    }
    await this.destroy(id)
    return 'closed'
  }

  /** Resolves when its place is free again. */
  async destroy(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    this.#entries.delete(id)
    await entry?.session.close()
  }

  /** Closes the sessions that nobody speaks for and nobody has asked anything of for too long. */
  async reap(): Promise<void> {
    const limit = this.#parts.clock.now() - this.#idleMs
    const idle = [...this.#entries.values()].filter(({ session, isAttached }) => {
      return !isAttached && !session.isBusy && session.lastSign <= limit
    })
    await Promise.all(idle.map(({ session }) => this.destroy(session.id)))
  }

  /** As AWM's environment reports its sessions; times in seconds. */
  stats(): JsonObject {
    const now = this.#parts.clock.now()
    const scenarios: Record<string, number> = {}
    let oldest = now
    for (const { session } of this.#entries.values()) {
      oldest = Math.min(oldest, session.lastSign)
      if (session.environmentId === null) continue
      const key = scenarioKey(session.environmentId)
      scenarios[key] = (scenarios[key] ?? 0) + 1
    }
    return {
      total_sessions: this.size,
      max_idle_time_config: this.#idleMs / 1_000,
      allowed_idle_sessions_config: this.#parts.broker.capacity,
      max_idle_s: (now - oldest) / 1_000,
      scenarios,
    }
  }

  async shutdown(): Promise<void> {
    clearInterval(this.#reaper)
    await Promise.all([...this.#entries.keys()].map((id) => this.destroy(id)))
  }
}
