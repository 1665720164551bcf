import type { Clock } from '../determinism/clock.ts'
import type { CallSite } from '../errors/plugin-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { EventSink } from '../telemetry/run-event.ts'

export interface WatchdogLimits {
  /** Milliseconds after which a `waiting` event names the plugin; repeated at twice, four times … that wait. */
  readonly warnAfterMs: number
  /** Milliseconds after which the wait ends with RLENV_PLUGIN_STALLED. */
  readonly stopAfterMs: number
}

export const defaultWatchdog: WatchdogLimits = { warnAfterMs: 30_000, stopAfterMs: 1_800_000 }

/** Waits for plugins' promises, says for whom, and stops waiting when told to or when it takes too long. */
export class Watchdog {
  readonly #limits: WatchdogLimits
  readonly #clock: Clock
  readonly #events: EventSink
  readonly #aborts = new AbortCallbacks()

  constructor(limits: WatchdogLimits, clock: Clock, events: EventSink) {
    this.#limits = limits
    this.#clock = clock
    this.#events = events
  }

  /**
   * The promise's result. Its timer keeps the process alive, so that a promise that never settles ends in an error and
   * not in a silent exit.
   *
   * @throws {RlenvError} RLENV_PLUGIN_STALLED; or the signal's reason when it aborts first.
   */
  wait<T>(promise: PromiseLike<T>, site: CallSite, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        stopTimer()
        reject(signal.reason)
      }
      const forget = this.#aborts.add(signal, onAbort)
      const stopTimer = this.#watch(site, (error) => {
        forget()
        reject(error)
      })
      const stop = () => {
        stopTimer()
        forget()
      }
      if (signal.aborted) onAbort()
      promise.then(
        (value) => {
          stop()
          resolve(value)
        },
        (error: unknown) => {
          stop()
          reject(error)
        },
      )
    })
  }

  /** Announces and in the end gives up on a wait that starts now; returns what calls that off. */
  #watch(site: CallSite, giveUp: (error: RlenvError) => void): () => void {
    const { warnAfterMs, stopAfterMs } = this.#limits
    const since = this.#clock.now()
    let forMs = Math.min(warnAfterMs, stopAfterMs)
    const remind = () => {
      if (forMs >= stopAfterMs) return giveUp(stalled(site, forMs))
      this.#events({ type: 'waiting', waiter: `plugin ${site.plugin} in hook ${site.hook}`, since, forMs })
      const next = Math.min(forMs * 2, stopAfterMs)
      timer = setTimeout(remind, next - forMs)
      forMs = next
    }
    let timer = setTimeout(remind, forMs)
    return () => clearTimeout(timer)
  }
}

/**
 * Hundreds of waits share one run's signal, for which Node would warn of a leak; here a signal has one listener, and none
 * once nothing waits on it.
 */
class AbortCallbacks {
  readonly #bySignal = new WeakMap<AbortSignal, AbortListener>()

  /** Returns what takes the callback away again. */
  add(signal: AbortSignal, callback: () => void): () => void {
    const listener = this.#bySignal.get(signal) ?? this.#listen(signal)
    listener.callbacks.add(callback)
    return () => {
      listener.callbacks.delete(callback)
      if (listener.callbacks.size === 0) this.#stop(signal, listener)
    }
  }

  #listen(signal: AbortSignal): AbortListener {
    const callbacks = new Set<() => void>()
    const callAll = () => {
      for (const callback of callbacks) callback()
      callbacks.clear()
    }
    const listener = { callbacks, callAll }
    this.#bySignal.set(signal, listener)
    signal.addEventListener('abort', callAll, { once: true })
    return listener
  }

  #stop(signal: AbortSignal, listener: AbortListener): void {
    signal.removeEventListener('abort', listener.callAll)
    if (this.#bySignal.get(signal) === listener) this.#bySignal.delete(signal)
  }
}

interface AbortListener {
  readonly callbacks: Set<() => void>
  readonly callAll: () => void
}

function stalled(site: CallSite, forMs: number): RlenvError {
  return new RlenvError(`${site.plugin} did not finish ${site.hook} within ${forMs} ms`, {
    code: 'RLENV_PLUGIN_STALLED',
    plugin: site.plugin,
    hook: site.hook,
    fix: `Settle every promise of ${site.plugin}, or raise "watchdog.stopAfterMs".`,
  })
}
