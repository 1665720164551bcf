import { setMaxListeners } from 'node:events'
import type { Clock } from '../determinism/clock.ts'
import { environmentFault, failed, shownName } from '../environment/tools/tool-failure.ts'
import { type RoutedCall, routeCall, surfaceTools, type ToolSurface } from '../environment/tools/tool-surface.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { WorldInstance } from '../hooks/world.ts'
import { isPromise, settleWithin } from '../rollout/deadline.ts'
import { boundedResult } from '../rollout/tool-result-text.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Json } from '../vocabulary/json.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import type { ToolDefinition, ToolResult } from '../vocabulary/tool.ts'
import { keptSize } from './kept-size.ts'
import type { ControlSide } from './session-judge.ts'
import type { SessionLimits } from './session-limits.ts'
import type { SessionCall } from './session-record.ts'
import type { SessionState } from './session-state.ts'

/** What a session shares with the broker that opened it. */
export interface SessionParts {
  readonly handle: string
  readonly environment: Environment
  readonly task: Task | null
  readonly seed: number
  readonly surface: ToolSurface
  /** Milliseconds without a sign of life after which it is closed; Infinity keeps it. */
  readonly leaseMs: number
  readonly limits: SessionLimits
  readonly clock: Clock
  readonly control: ControlSide
  /** Milliseconds beyond a call's limit in which whoever watches the world may still say what became of it. */
  readonly graceMs: number
  /** Opens a world in its first state. */
  readonly openWorld: (signal: AbortSignal) => Promise<WorldInstance>
  readonly closeWorld: (instance: WorldInstance) => Promise<void>
  readonly onCall: (session: Session, call: SessionCall, durationMs: number) => void
}

export interface CallOptions {
  /** Aborted when the caller no longer waits. A call that has not begun is then not made; one that has begun goes on. */
  readonly signal?: AbortSignal | undefined
  /** Default: the session's own. */
  readonly surface?: ToolSurface | undefined
}

/** Any number of calls may listen to it. */
const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never)

/**
 * One client's private world, behind a handle that nobody can guess. What is asked of it happens one after the other, in
 * the order of asking, whichever door it came through.
 */
export class Session {
  readonly handle: string
  readonly environment: Environment
  readonly task: Task | null
  readonly seed: number
  readonly surface: ToolSurface
  readonly #parts: SessionParts
  readonly #ended = new AbortController()
  #instance: WorldInstance
  #lastSign: number
  #calls: SessionCall[] = []
  #keptChars = 0
  /** Settles, never rejects, when everything that was asked so far has happened; null when nothing is under way. */
  #underWay: Promise<void> | null = null

  constructor(parts: SessionParts, instance: WorldInstance) {
    this.handle = parts.handle
    this.environment = parts.environment
    this.task = parts.task
    this.seed = parts.seed
    this.surface = parts.surface
    this.#parts = parts
    this.#instance = instance
    this.#lastSign = parts.clock.now()
    // Every call under way may listen for the end.
    setMaxListeners(0, this.#ended.signal)
  }

  /** Under the names that the world itself has for them; one shared list per environment. */
  get serverTools(): readonly ToolDefinition[] {
    return this.#instance.tools
  }

  /** When its lease ends, in milliseconds since 1970, unless there is another sign of life. */
  get expiresAt(): number {
    return this.#lastSign + this.#parts.leaseMs
  }

  /** Something is happening in it right now. */
  get isBusy(): boolean {
    return this.#underWay !== null
  }

  get isClosed(): boolean {
    return this.#ended.signal.aborted
  }

  /** Everything that was called since it was opened or reset. */
  get calls(): readonly SessionCall[] {
    return this.#calls
  }

  /** What a client is offered; one shared list per environment and surface. */
  tools(surface: ToolSurface = this.surface): readonly ToolDefinition[] {
    return surfaceTools(this.#instance, surface)
  }

  /** A sign of life: the lease starts again. Every other method is one as well. */
  heartbeat(): void {
    this.#lastSign = this.#parts.clock.now()
  }

  /**
   * Calls a tool. What a caller can bring about is an error result, never a rejection.
   *
   * @throws {RlenvError} RLENV_SESSION_UNKNOWN when the session is closed.
   */
  call(name: string, args: Json, { signal = never, surface = this.surface }: CallOptions = {}): CallAnswer {
    this.#sign()
    const asked = { name, args, surface, began: performance.now() }
    if (this.#underWay === null) {
      const answer = this.#exclusively(() => this.#run(asked, signal))
      return isPromise(answer) ? this.#awaited(asked, answer, signal) : this.#told(asked, answer)
    }
    const unbegun = new AbortController()
    const giveUp = () => unbegun.abort(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    const answer = Promise.resolve(this.#exclusively(() => this.#run(asked, unbegun.signal)))
    return this.#awaited(asked, answer, signal, unbegun).finally(() => signal.removeEventListener('abort', giveUp))
  }

  /** Asks the verifier about the state as it is and, where the task wants one, the answer. Can be asked again. */
  async verify(answer: string | null): Promise<Verdict> {
    this.#sign()
    return this.#exclusively(async () => {
      const { environment, task, seed, calls } = this
      const signal = this.#ended.signal
      return this.#parts.control.verdict({ environment, task, world: this.#instance, seed, calls, answer, signal })
    })
  }

  /** Back to the first state, in a fresh world; the handle stays. */
  async reset(): Promise<void> {
    this.#sign()
    return this.#exclusively(async () => {
      const fresh = await this.#parts.openWorld(this.#ended.signal)
      if (this.isClosed) return this.#parts.closeWorld(fresh)
      const old = this.#instance
      this.#instance = fresh
      this.#calls = []
      this.#keptChars = 0
      await this.#parts.closeWorld(old)
    })
  }

  /**
   * Hands the state to `read`; null when this kind of world has none to show. Nothing else happens in the session until
   * `read` is done, so it must not wait for anything else that it asks of the session.
   */
  async capture<Result>(read: (state: SessionState | null) => Result | Promise<Result>): Promise<Result> {
    this.#sign()
    return this.#exclusively(async () => read(await this.#parts.control.state(this.#instance)))
  }

  /** For the broker alone: nothing more is accepted, and what is under way may end, within bounds, before the world closes. */
  async end(): Promise<void> {
    if (this.isClosed) return
    this.#ended.abort()
    const { clock, limits } = this.#parts
    if (this.#underWay !== null) await settleWithin(this.#underWay, limits.toolTimeoutMs, never, clock)
    await this.#parts.closeWorld(this.#instance)
  }

  #sign(): void {
    if (this.isClosed) throw sessionUnknown(this.handle)
    this.heartbeat()
  }

  /** Does something after everything that was asked before; at once when nothing is under way. */
  #exclusively<Result>(work: () => Result | Promise<Result>): Result | Promise<Result> {
    const before = this.#underWay
    const result = before === null ? work() : before.then(work)
    if (!isPromise(result)) return result
    const settled = result.then(
      () => undefined,
      () => undefined,
    )
    this.#underWay = settled
    void settled.then(() => {
      this.heartbeat()
      if (this.#underWay === settled) this.#underWay = null
    })
    return result
  }

  #run(asked: AskedCall, signal: AbortSignal): CallAnswer {
    const { name, args, surface } = asked
    if (this.isClosed) return refused(name, 'was not made, because its session was closed first')
    if (signal.aborted) return refused(name, 'was cancelled before it ran')
    const full = this.#fullness()
    if (full !== null) return refused(name, full)
    try {
      const routed = routeCall(this.#instance, surface, name, args, this.#ended.signal)
      if (!isPromise(routed)) return this.#record(asked, routed)
      return routed.then(
        (settled) => this.#record(asked, settled),
        (cause: unknown) => this.#record(asked, crashed(asked, cause)),
      )
    } catch (cause) {
      return this.#record(asked, crashed(asked, cause))
    }
  }

  #record(asked: AskedCall, routed: RoutedCall): SessionCall {
    const call = this.#bounded(asked, this.isClosed ? closedUnder(asked, routed) : routed)
    this.#calls.push(call)
    this.#keptChars += keptSize(call)
    return call
  }

  /** Why nothing more can be called before a reset. */
  #fullness(): string | null {
    const { maxCalls, maxKeptChars } = this.#parts.limits
    if (this.#calls.length >= maxCalls) return `is one more than the ${maxCalls} calls of a session`
    if (this.#keptChars >= maxKeptChars) return `comes after calls of ${maxKeptChars} characters, the most of a session`
    return null
  }

  #bounded({ name }: AskedCall, { serverName, arguments: args, outcome }: RoutedCall): SessionCall {
    const { maxResultChars } = this.#parts.limits
    try {
      const { text, result } = boundedResult(outcome.result, maxResultChars)
      return { name, serverName, arguments: args, result, diff: outcome.diff, text }
    } catch (cause) {
      const { text, result } = boundedResult(environmentFault(name, messageOf(cause)), maxResultChars)
      return { name, serverName, arguments: args, result, diff: outcome?.diff ?? [], text }
    }
  }

  /** Waits for a call as long as its caller may; then the caller is told so, and the call itself goes on. */
  async #awaited(asked: AskedCall, answer: Promise<SessionCall>, signal: AbortSignal, unbegun?: AbortController) {
    const { limits, graceMs, clock } = this.#parts
    const settled = await settleWithin(answer, limits.toolTimeoutMs + graceMs, signal, clock)
    if (settled.kind === 'value') return this.#told(asked, settled.value)
    if (settled.kind === 'failed') throw settled.cause
    unbegun?.abort()
    const why = settled.kind === 'timeout' ? `did not answer within ${limits.toolTimeoutMs} ms` : 'was cancelled'
    return this.#told(asked, refused(asked.name, `${why}; it may still take effect, so look before you call it again`))
  }

  #told({ began }: AskedCall, call: SessionCall): SessionCall {
    this.#parts.onCall(this, call, performance.now() - began)
    return call
  }
}

/** What a call returns: at once where the world answers at once. */
export type CallAnswer = SessionCall | Promise<SessionCall>

interface AskedCall {
  readonly name: string
  readonly args: Json
  readonly surface: ToolSurface
  /** `performance.now()` when it was asked. */
  readonly began: number
}

/** A call that its caller has no result of. */
function refused(name: string, why: string): SessionCall {
  const result = failed({ kind: 'timeout', code: 'timeout', message: `${shownName(name)} ${why}` })
  return { name, serverName: null, arguments: null, diff: [], ...boundedResult(result, Number.MAX_SAFE_INTEGER) }
}

function crashed({ name }: AskedCall, cause: unknown): RoutedCall {
  const result: ToolResult = environmentFault(name, messageOf(cause))
  return { serverName: null, arguments: null, outcome: { result, diff: [] } }
}

/** A call whose world gave up because the session ended: that is nobody's fault. What had come of it by then stays. */
function closedUnder({ name }: AskedCall, routed: RoutedCall): RoutedCall {
  const { result, diff } = routed.outcome
  if (result.ok || result.error.kind !== 'environment_fault') return routed
  const message = `${shownName(name)} was under way when its session was closed`
  return { ...routed, outcome: { result: failed({ kind: 'timeout', code: 'timeout', message }), diff } }
}

/** What whoever holds the handle of a session that is no more is told. */
export function sessionUnknown(handle: string): RlenvError {
  const shown = handle.length > 8 ? `${handle.slice(0, 6)}…` : handle
  return new RlenvError(`there is no open session "${shown}"`, {
    code: 'RLENV_SESSION_UNKNOWN',
    fix: 'Open a new one; a session ends when it is closed or its lease runs out.',
  })
}
