import type { Clock } from '../determinism/clock.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { World, WorldInstance, WorldRequest } from '../hooks/world.ts'
import { attempt } from '../rollout/deadline.ts'
import type { Environment } from '../vocabulary/environment.ts'

export interface SessionWorldsOptions {
  readonly world: World
  /** Milliseconds that one may take to open, and again to close. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Told what went wrong where nobody waits for an answer. */
  readonly log: (line: string) => void
}

/** Opens and closes the worlds of sessions within bounds, and gives none of them to two. */
export class SessionWorlds {
  readonly #options: SessionWorldsOptions
  /** Every instance that was ever handed out. */
  readonly #seen = new WeakSet<WorldInstance>()

  constructor(options: SessionWorldsOptions) {
    this.#options = options
  }

  /** @throws {RlenvError} RLENV_WORLD_UNAVAILABLE, RLENV_WORLD_SHARED, and what opening throws; the signal's reason. */
  async open(request: WorldRequest, signal: AbortSignal): Promise<WorldInstance> {
    const { world, timeoutMs, clock } = this.#options
    let isLate = false
    const opening = async () => {
      const instance = this.#admit(await world.open(request, signal))
      if (isLate) void this.close(request.environment, instance)
      return instance
    }
    const settled = await attempt(opening, timeoutMs, signal, clock)
    if (settled.kind === 'value') return settled.value
    isLate = true
    if (settled.kind === 'aborted') throw signal.reason
    if (settled.kind === 'failed') throw settled.cause
    throw new RlenvError(`${request.environment.id} did not open within ${timeoutMs} ms`, {
      code: 'RLENV_WORLD_UNAVAILABLE',
      fix: 'Try again, or look into the log of the world.',
    })
  }

  /** A world that does not close is given up after a while, so that its place is not lost. */
  async close(environment: Environment, instance: WorldInstance): Promise<void> {
    const { timeoutMs, clock, log } = this.#options
    const never = new AbortController().signal
    const settled = await attempt(() => instance.close(), timeoutMs, never, clock)
    if (settled.kind === 'value') return
    const why = settled.kind === 'failed' ? messageOf(settled.cause) : `no answer within ${timeoutMs} ms`
    log(`a world of ${environment.id} did not close: ${why}`)
  }

  #admit(instance: WorldInstance): WorldInstance {
    if (this.#seen.has(instance)) {
      throw new RlenvError(`world ${this.#options.world.name} returned the same instance to two sessions`, {
        code: 'RLENV_WORLD_SHARED',
        hook: 'world',
        fix: 'Return a fresh instance from every call of open.',
      })
    }
    this.#seen.add(instance)
    return instance
  }
}
