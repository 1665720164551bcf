import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../determinism/clock.ts'
import { ExecutableWorld } from '../environment/executable-world.ts'
import { assertTimeForQueries } from '../environment/tools/query-time.ts'
import type { ToolSurface } from '../environment/tools/tool-surface.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { World, WorldInstance } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Task } from '../vocabulary/task.ts'
import { Admission, type AdmissionRequest, type Place } from './admission.ts'
import { environmentNamed, taskNamed } from './environment-lookup.ts'
import { Session, sessionUnknown } from './session.ts'
import { type ControlSide, SessionJudge } from './session-judge.ts'
import { defaultLimits, type SessionLimits } from './session-limits.ts'
import type { SessionCall } from './session-record.ts'
import { SessionWorlds } from './session-worlds.ts'
import { type WorkerCounts, WorkerPool } from './workers/worker-pool.ts'

export interface SessionBrokerOptions {
  readonly environments: readonly Environment[]
  /** Most sessions that are open at once. Default 1,024. */
  readonly capacity?: number
  /** Most requests that wait for a place; the next one is refused. Default 1,024. */
  readonly queueLimit?: number
  /** Milliseconds without a sign of life after which a session is closed. Default 10 minutes. */
  readonly leaseMs?: number
  /** Milliseconds that a world may take to open, and again to close. Default 30 s. */
  readonly worldTimeoutMs?: number
  /** Default: `direct`. */
  readonly surface?: ToolSurface
  readonly limits?: Partial<SessionLimits>
  /** Where instances come from. Default: the executable world, in this process. Workers fill the slot themselves. */
  readonly world?: World
  /**
   * Processes that hold the worlds, so that one that never comes back costs its process and not the server; 0 holds them
   * in this one. Needs a pipeline that was loaded from a file. Default 0.
   */
  readonly workers?: number
  /** MiB that a worker may hold before it is ended. Default: its share of the machine's memory. */
  readonly workerMemoryMib?: number | null
  /** Whose verifiers are asked. Without one, every verdict is unscored. */
  readonly pipeline?: Pipeline | null
  /** Number that the verifiers' random streams descend from. Default 0. */
  readonly seed?: number
  readonly clock?: Clock
  /** Told each call after it was made. */
  readonly onCall?: (session: Session, call: SessionCall, durationMs: number) => void
  /** Told what went wrong where nobody waits for an answer. */
  readonly log?: (line: string) => void
}

export interface SessionRequest extends AdmissionRequest {
  readonly environmentId: string
  /** Whole id, or the part after the environment's. Without one the session cannot be verified. */
  readonly taskId?: string | undefined
  /** Equal seeds give equal worlds. Default: the environment's. */
  readonly seed?: number | undefined
  readonly surface?: ToolSurface | undefined
  /** Instead of the broker's; Infinity keeps the session until it is closed. */
  readonly leaseMs?: number | undefined
}

/** How many sessions there are and were. */
export interface SessionCounts {
  /** Places taken, by sessions that are open, opening or closing. */
  readonly taken: number
  /** Sessions with a handle that is valid now. */
  readonly open: number
  readonly queued: number
  readonly opened: number
  readonly closed: number
  /** Of the closed ones, those whose lease ran out. */
  readonly reaped: number
  /** Requests that found the queue full. */
  readonly refused: number
}

interface OpenSession {
  readonly session: Session
  readonly place: Place
}

/**
 * Owns every session: admits, leases, finds, reaps and closes them. Doors hold handles and nothing else, so that a client
 * that vanishes costs no more than its lease.
 */
export class SessionBroker {
  readonly environments: ReadonlyMap<string, Environment>
  readonly leaseMs: number
  readonly limits: SessionLimits
  readonly surface: ToolSurface
  readonly #options: SessionBrokerOptions
  readonly #clock: Clock
  readonly #worlds: SessionWorlds
  readonly #control: ControlSide
  readonly #pool: WorkerPool | null
  readonly #admission: Admission
  readonly #sessions = new Map<string, OpenSession>()
  /** Openings and closings. */
  readonly #underWay = new Set<Promise<void>>()
  readonly #reaper: NodeJS.Timeout
  #isOver = false
  #opened = 0
  #closed = 0
  #reaped = 0
  #refused = 0

  /**
   * @throws {RlenvError} RLENV_CONFIG_INVALID when a query of a client may take longer than a call, or when worlds are to
   *   be held in processes and the pipeline exists in this one only.
   */
  constructor(options: SessionBrokerOptions) {
    const { capacity = 1_024, queueLimit = 1_024, leaseMs = 600_000, clock = systemClock } = options
    this.environments = new Map(options.environments.map((environment) => [environment.id, environment]))
    this.leaseMs = leaseMs
    this.limits = { ...defaultLimits, ...options.limits }
    assertTimeForQueries(options.environments, this.limits.toolTimeoutMs)
    this.surface = options.surface ?? 'direct'
    this.#options = options
    this.#clock = clock
    const { pipeline = null, seed = 0, log = () => undefined, worldTimeoutMs = 30_000 } = options
    this.#pool = workerPool(options, this.limits)
    const world = this.#pool ?? options.world ?? new ExecutableWorld()
    this.#worlds = new SessionWorlds({ world, timeoutMs: worldTimeoutMs, clock, log })
    this.#control =
      this.#pool ?? new SessionJudge({ pipeline, seed, clock, log, timeoutMs: this.limits.verifierTimeoutMs })
    this.#admission = new Admission(capacity, queueLimit)
    this.#reaper = setInterval(() => void this.reap(), Math.min(Math.max(leaseMs / 4, 50), 30_000)).unref()
  }

  get capacity(): number {
    return this.#admission.capacity
  }

  get counts(): SessionCounts {
    return {
      taken: this.#admission.taken,
      open: this.#sessions.size,
      queued: this.#admission.queued,
      opened: this.#opened,
      closed: this.#closed,
      reaped: this.#reaped,
      refused: this.#refused,
    }
  }

  /** Null where worlds are held in this process. */
  get workers(): WorkerCounts | null {
    return this.#pool?.counts ?? null
  }

  /** Resolves when worlds can be opened. @throws {RlenvError} what keeps the workers from starting. */
  async ready(): Promise<void> {
    await this.#pool?.ready()
  }

  /** Of all sessions with a valid handle. */
  *sessions(): Iterable<Session> {
    for (const { session } of this.#sessions.values()) yield session
  }

  /**
   * Opens a session, now or when its turn in the queue comes.
   *
   * @throws {RlenvError} RLENV_USAGE for an environment or task that is not served, RLENV_SERVER_FULL,
   * RLENV_SERVER_CLOSED, RLENV_WORLD_UNAVAILABLE, RLENV_WORLD_SHARED and what loading the environment throws; the signal's reason.
   */
  async open(request: SessionRequest): Promise<Session> {
    if (this.#isOver) throw serverClosed()
    const environment = environmentNamed(this.environments, request.environmentId)
    const task = request.taskId === undefined ? null : taskNamed(environment, request.taskId)
    const place = await this.#enter(request)
    const beginning = this.#begin(request, environment, task, place)
    const settled = beginning.then(
      () => undefined,
      () => place.release(),
    )
    this.#underWay.add(settled)
    void settled.then(() => this.#underWay.delete(settled))
    return beginning
  }

  /** The session behind a handle while it is open. Looking it up is no sign of life. */
  get(handle: string): Session | undefined {
    return this.#sessions.get(handle)?.session
  }

  /** @throws {RlenvError} RLENV_SESSION_UNKNOWN */
  require(handle: string): Session {
    const session = this.get(handle)
    if (session === undefined) throw sessionUnknown(handle)
    return session
  }

  /** Starts the lease again. @throws {RlenvError} RLENV_SESSION_UNKNOWN */
  heartbeat(handle: string): Session {
    const session = this.require(handle)
    session.heartbeat()
    return session
  }

  /**
   * Closes a session: its handle is invalid at once, its world closes after what is under way, and then its place is
   * free. Resolves then. An unknown handle is none of ours: false.
   */
  async close(handle: string): Promise<boolean> {
    const found = this.#sessions.get(handle)
    if (found === undefined) return false
    this.#sessions.delete(handle)
    const closing = this.#finish(found)
    this.#underWay.add(closing)
    await closing
    this.#underWay.delete(closing)
    return true
  }

  /** Closes the sessions whose lease has run out, with some grace while something is under way. Called by a timer. */
  async reap(): Promise<number> {
    const now = this.#clock.now()
    const grace = (session: Session) => (session.isBusy ? this.limits.toolTimeoutMs : 0)
    const expired = [...this.#sessions.values()].filter(({ session }) => session.expiresAt + grace(session) <= now)
    this.#reaped += expired.length
    await Promise.all(expired.map(({ session }) => this.close(session.handle)))
    return expired.length
  }

  /** Closes everything and lets nobody in any more. Resolves when every world is closed. */
  async shutdown(): Promise<void> {
    clearInterval(this.#reaper)
    this.#isOver = true
    this.#admission.dismiss(serverClosed())
    await Promise.all([...this.#sessions.keys()].map((handle) => this.close(handle)))
    await Promise.all(this.#underWay)
    await this.#pool?.close()
  }

  async #enter(request: SessionRequest): Promise<Place> {
    try {
      return await this.#admission.enter(request)
    } catch (cause) {
      if (cause instanceof RlenvError && cause.code === 'RLENV_SERVER_FULL') this.#refused++
      throw cause
    }
  }

  async #begin(request: SessionRequest, environment: Environment, task: Task | null, place: Place): Promise<Session> {
    const seed = request.seed ?? environment.seed
    const openWorld = (signal: AbortSignal) => this.#worlds.open({ environment, seed }, signal)
    const closeWorld = (instance: WorldInstance) => this.#worlds.close(environment, instance)
    const instance = await openWorld(request.signal ?? new AbortController().signal)
    if (this.#isOver) {
      await closeWorld(instance)
      throw serverClosed()
    }
    const parts = {
      handle: randomBytes(24).toString('base64url'),
      environment,
      task,
      seed,
      surface: request.surface ?? this.surface,
      leaseMs: request.leaseMs ?? this.leaseMs,
      limits: this.limits,
      clock: this.#clock,
      control: this.#control,
      graceMs: this.#pool === null ? 0 : workerGraceMs,
      openWorld,
      closeWorld,
      onCall: this.#options.onCall ?? (() => undefined),
    }
    const session = new Session(parts, instance)
    this.#sessions.set(session.handle, { session, place })
    this.#opened++
    return session
  }

  async #finish({ session, place }: OpenSession): Promise<void> {
    try {
      await session.end()
    } finally {
      this.#closed++
      place.release()
    }
  }
}

/** Milliseconds from a call's limit to the news that its process was ended. */
const workerGraceMs = 1_000

function workerPool(options: SessionBrokerOptions, limits: SessionLimits): WorkerPool | null {
  const { workers: size = 0, workerMemoryMib: memoryMib = null, pipeline = null, seed = 0, log } = options
  if (size === 0) return null
  return new WorkerPool({ size, memoryMib, pipeline, limits, seed, log: log ?? (() => undefined) })
}

function serverClosed(): RlenvError {
  return new RlenvError('the server is shutting down', { code: 'RLENV_SERVER_CLOSED', fix: 'Connect again later.' })
}
