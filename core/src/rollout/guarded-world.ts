import type { Clock } from '../determinism/clock.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { World, WorldInstance, WorldRequest } from '../hooks/world.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import { attempt, isPromise } from './deadline.ts'

/** Milliseconds that closing one instance may take before the run goes on without it. */
const closeTimeoutMs = 10_000

/** Closing goes on when the run is cancelled. */
const never: AbortSignal = new AbortController().signal

/** What the attempts of one engine share about its world. */
export interface WorldWatch {
  readonly world: World
  readonly events: EventSink
  readonly clock: Clock
  /** Every instance that was ever handed out. */
  readonly seen: WeakSet<WorldInstance>
}

/**
 * The world as one attempt sees it: remembers what was opened so that it is closed whatever happens, closes what opens
 * too late, and refuses an instance that was handed out before.
 */
export class GuardedWorld implements World {
  readonly name: string
  /** Set when the world handed out an instance twice: a broken plugin, which ends the run. */
  shared: RlenvError | null = null
  readonly #watch: WorldWatch
  readonly #opened: WorldInstance[] = []
  readonly #onWait: (waiting: boolean) => void
  #isOver = false

  constructor(watch: WorldWatch, onWait: (waiting: boolean) => void) {
    this.name = watch.world.name
    this.#watch = watch
    this.#onWait = onWait
  }

  open(request: WorldRequest, signal: AbortSignal): WorldInstance | Promise<WorldInstance> {
    const opening = this.#watch.world.open(request, signal)
    if (!isPromise(opening)) return this.#admit(opening)
    this.#onWait(true)
    return opening.then((instance) => {
      this.#onWait(false)
      return this.#admit(instance)
    })
  }

  /** Closing the world itself is not an attempt's business. */
  close(): void {}

  /**
   * Ends the attempt.
   *
   * @param kept - what its strategy left open on return; null closes everything that the attempt opened.
   */
  async end(kept: WorldInstance | null): Promise<void> {
    this.#isOver = true
    const open = kept === null ? this.#opened : [kept]
    for (const instance of open) await this.#close(instance)
  }

  #admit(instance: WorldInstance): WorldInstance {
    const { seen, world } = this.#watch
    if (seen.has(instance)) {
      this.shared = new RlenvError(`world ${world.name} returned the same instance to two rollouts`, {
        code: 'RLENV_WORLD_SHARED',
        hook: 'world',
        fix: 'Return a fresh instance from every call of open.',
      })
      throw this.shared
    }
    seen.add(instance)
    if (!this.#isOver) {
      this.#opened.push(instance)
      return instance
    }
    void this.#close(instance)
    throw new Error(`world ${world.name} opened after its rollout had ended`)
  }

  async #close(instance: WorldInstance): Promise<void> {
    const { events, clock, world } = this.#watch
    const closing = attempt(() => instance.close(), closeTimeoutMs, never, clock)
    const settled = isPromise(closing) ? await closing : closing
    if (settled.kind === 'value') return
    const why = settled.kind === 'failed' ? messageOf(settled.cause) : `no answer within ${closeTimeoutMs} ms`
    events({
      type: 'warning',
      message: `an instance of world ${world.name} did not close: ${why}`,
      plugin: null,
      hook: 'world',
    })
  }
}
