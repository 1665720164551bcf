import { attributed, type CallSite } from '../errors/plugin-error.ts'
import type { Awaitable } from '../hooks/pipeline-hooks.ts'
import type { Watchdog } from './watchdog.ts'

/** How often a plugin was called on a hook point and how long that took. */
export interface HookTiming {
  readonly plugin: string
  readonly hook: string
  readonly calls: number
  /** Wall-clock milliseconds, waiting included. */
  readonly totalMs: number
  readonly maxMs: number
}

/** The one boundary between rlenv and the code of plugins: attribution, abort, watchdog and timing of every call. */
export class Guard {
  readonly #watchdog: Watchdog
  readonly #timings = new Map<string, { -readonly [Key in keyof HookTiming]: HookTiming[Key] }>()

  constructor(watchdog: Watchdog) {
    this.#watchdog = watchdog
  }

  /**
   * Calls into a plugin. A synchronous answer costs no timer.
   *
   * @throws {RlenvError} what the plugin threw, attributed; the signal's own reason once it has aborted.
   */
  call<T>(site: CallSite, signal: AbortSignal, work: () => Awaitable<T>): Awaitable<T> {
    signal.throwIfAborted()
    const started = performance.now()
    let answer: Awaitable<T>
    try {
      answer = work()
    } catch (error) {
      throw this.#failed(error, site, signal, started)
    }
    if (!isThenable(answer)) {
      this.#record(site, started)
      return answer
    }
    return this.#watchdog.wait(answer, site, signal).then(
      (value) => {
        this.#record(site, started)
        return value
      },
      (error: unknown) => {
        throw this.#failed(error, site, signal, started)
      },
    )
  }

  timings(): HookTiming[] {
    return [...this.#timings.values()].map((timing) => ({ ...timing }))
  }

  #failed(error: unknown, site: CallSite, signal: AbortSignal, started: number): unknown {
    this.#record(site, started)
    return signal.aborted ? signal.reason : attributed(error, site)
  }

  #record({ plugin, hook }: CallSite, started: number): void {
    const elapsed = performance.now() - started
    const key = `${hook} ${plugin}`
    const timing = this.#timings.get(key) ?? { plugin, hook, calls: 0, totalMs: 0, maxMs: 0 }
    timing.calls++
    timing.totalMs += elapsed
    timing.maxMs = Math.max(timing.maxMs, elapsed)
    this.#timings.set(key, timing)
  }
}

export function isThenable<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function'
}
