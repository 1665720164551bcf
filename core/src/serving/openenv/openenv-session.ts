import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../determinism/clock.ts'
import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { Session } from '../session.ts'
import type { SessionBroker } from '../session-broker.ts'
import type { SessionCall } from '../session-record.ts'
import { type Action, isErrors } from './action.ts'
import { BoundedWait } from './bounded-wait.ts'
import type { Dialect, EpisodePlan } from './dialect.ts'
import type { ScenarioCatalog } from './scenario-catalog.ts'
import { capacityReached, type EpisodeState, type Fault, invalidMessage, isFault, type Reply } from './server-frame.ts'

export interface OpenEnvSessionParts {
  readonly broker: SessionBroker
  readonly catalog: ScenarioCatalog
  readonly dialect: Dialect
  readonly clock: Clock
  /** Milliseconds that a reset waits in line for a world; must be below what clients wait for a reply. */
  readonly queueTimeoutMs: number
}

interface Episode {
  readonly plan: EpisodePlan
  readonly world: Session
}

/**
 * What OpenEnv calls a session: one client's episodes, one after the other, each in a world of its own. Whatever is asked
 * of it happens in the order of asking.
 */
export class OpenEnvSession {
  /** Nobody can guess it; over HTTP it is all that a client shows. */
  readonly id: string = randomBytes(24).toString('base64url')
  readonly #parts: OpenEnvSessionParts
  readonly #ended = new AbortController()
  #episode: Episode | null = null
  #isOpening = false
  #isOver = false
  #state: EpisodeState = { episodeId: null, stepCount: 0 }
  #lastSign: number
  #turn: Promise<unknown> = Promise.resolve()
  #asked = 0

  constructor(parts: OpenEnvSessionParts) {
    this.#parts = parts
    this.#lastSign = parts.clock.now()
  }

  get dialect(): Dialect {
    return this.#parts.dialect
  }

  get state(): EpisodeState {
    return this.#state
  }

  /** Has a world, or waits for one, and so is counted by the broker. */
  get holdsWorld(): boolean {
    return this.#isOpening || this.#episode !== null
  }

  /** Something that was asked of it has not happened yet. */
  get isBusy(): boolean {
    return this.#asked > 0
  }

  /** When something was last asked or done, in milliseconds since 1970. */
  get lastSign(): number {
    return this.#lastSign
  }

  /** Which environment it plays in; null between episodes. */
  get environmentId(): string | null {
    return this.#episode?.plan.environment.id ?? null
  }

  reset(data: JsonObject, signal: AbortSignal): Promise<Reply | Fault> {
    return this.#inTurn(() => this.#reset(data, signal))
  }

  step(data: JsonObject, signal: AbortSignal): Promise<Reply | Fault> {
    return this.#inTurn(() => this.#step(data, signal))
  }

  /** The tools of the present episode, of the first one where the dialect opens it by itself, or none. */
  tools(signal: AbortSignal): Promise<readonly ToolDefinition[] | Fault> {
    return this.#inTurn(async () => {
      const episode = await this.#current(signal)
      if (episode === null) return []
      return isFault(episode) ? episode : episode.world.tools('direct')
    })
  }

  /** A call by name that is no step of the episode: the environment's own tools and nothing else. */
  call(name: string, args: Json, signal: AbortSignal): Promise<SessionCall | Fault> {
    return this.#inTurn(async () => {
      const episode = this.#isOver ? null : await this.#current(signal)
      if (episode === null) return { code: 'EXECUTION_ERROR', message: 'there is no episode; reset first' }
      return isFault(episode) ? episode : episode.world.call(name, args, { signal, surface: 'direct' })
    })
  }

  /** A sign of life. */
  touch(): void {
    this.#lastSign = this.#parts.clock.now()
  }

  /** Ends the wait for a world, lets a call that is under way come to its end, and closes the world. */
  async close(): Promise<void> {
    this.#ended.abort(new Error('the session is closed'))
    await this.#inTurn(() => this.#closeWorld())
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.touch()
    this.#asked++
    const result = this.#turn.then(work)
    const done = () => {
      this.#asked--
      this.touch()
    }
    this.#turn = result.then(done, done)
    return result
  }

  async #reset(data: JsonObject, signal: AbortSignal): Promise<Reply | Fault> {
    const { dialect, catalog } = this.#parts
    const reading = dialect.readReset(data, catalog)
    if (reading.kind === 'refused') {
      await this.#closeWorld()
      return reading.answer
    }
    const episode = await this.#begin(reading.plan, signal)
    if (isFault(episode)) return episode
    return 'observation' in episode ? episode : dialect.opened(reading.plan, episode.world.tools('direct').length)
  }

  async #step(data: JsonObject, signal: AbortSignal): Promise<Reply | Fault> {
    const { dialect, catalog } = this.#parts
    const action = dialect.readAction(data)
    if (isErrors(action)) return invalidMessage(action)
    if (this.#isOver) return dialect.over(action)
    const current = action.kind === 'scenarios' ? this.#episode : await this.#current(signal)
    if (current !== null && isFault(current)) return current
    this.#state = { ...this.#state, stepCount: this.#state.stepCount + 1 }
    if (action.kind === 'scenarios') return dialect.scenarios(catalog)
    if (current === null) {
      this.#isOver = action.kind === 'end'
      return dialect.unopened(action)
    }
    return this.#act(action, current, signal)
  }

  async #act(
    action: Exclude<Action, { kind: 'scenarios' }>,
    { plan, world }: Episode,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { dialect } = this.#parts
    switch (action.kind) {
      case 'list':
        return dialect.listed(world.tools('direct'))
      case 'call':
        return dialect.called(await world.call(action.tool, action.arguments, { signal, surface: 'direct' }), plan)
      case 'verify': {
        const refusal = dialect.unverifiable(action, plan)
        if (refusal !== null) return refusal
        const verdict = await world.verify(action.answer)
        return this.#noted(dialect.verified(verdict, plan, this.#state.stepCount))
      }
      case 'end':
        await this.#closeWorld()
        return this.#noted(dialect.ended(plan, this.#state.stepCount))
    }
  }

  #noted(reply: Reply): Reply {
    this.#isOver = reply.done
    return reply
  }

  /** The episode to act in. Opens the first one where the dialect says so; null where there is none. */
  async #current(signal: AbortSignal): Promise<Episode | Fault | null> {
    const { dialect, catalog } = this.#parts
    if (this.#episode?.world.isClosed) return { code: 'EXECUTION_ERROR', message: 'the world was closed; reset first' }
    if (this.#episode !== null || !dialect.opensByItself) return this.#episode
    const reading = dialect.readReset({}, catalog)
    if (reading.kind === 'refused') return isFault(reading.answer) ? reading.answer : null
    const begun = await this.#begin(reading.plan, signal)
    return 'observation' in begun ? null : begun
  }

  async #begin(plan: EpisodePlan, signal: AbortSignal): Promise<Episode | Fault | Reply> {
    const { dialect, broker, queueTimeoutMs } = this.#parts
    const wait = new BoundedWait([signal, this.#ended.signal], queueTimeoutMs)
    try {
      const world = await this.#freshWorld(plan, wait.signal)
      this.#isOver = false
      this.#state = { episodeId: plan.episodeId ?? randomUUID(), stepCount: 0 }
      this.#episode = { plan, world }
      return this.#episode
    } catch (cause) {
      await this.#closeWorld()
      if (wait.isLate || (isRlenvError(cause) && cause.code === 'RLENV_SERVER_FULL'))
        return capacityReached(broker.capacity, broker.capacity)
      return dialect.notOpened(messageOf(cause))
    } finally {
      wait.end()
    }
  }

  /** The world that is there, in its first state, when it is of the same beginnings; otherwise another. */
  async #freshWorld({ environment, task, seed }: EpisodePlan, signal: AbortSignal): Promise<Session> {
    const before = this.#episode
    const { broker } = this.#parts
    const isSame = before?.plan.environment === environment && before.plan.task === task && before.plan.seed === seed
    if (isSame && !before.world.isClosed) {
      await before.world.reset()
      return before.world
    }
    await this.#closeWorld()
    this.#isOpening = true
    try {
      const request = { environmentId: environment.id, taskId: task?.id, seed, leaseMs: Number.POSITIVE_INFINITY }
      return await broker.open({ ...request, surface: 'direct', signal })
    } finally {
      this.#isOpening = false
    }
  }

  async #closeWorld(): Promise<void> {
    const episode = this.#episode
    this.#episode = null
    this.#isOver = false
    if (episode !== null) await this.#parts.broker.close(episode.world.handle)
  }
}
