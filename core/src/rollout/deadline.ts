import type { Clock } from '../determinism/clock.ts'

/** How waiting for something ended. */
export type Settled<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'failed'; readonly cause: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }

/** Longest delay that a timer takes, in milliseconds; longer waits are as good as for ever. */
const longestTimerMs = 2 ** 31 - 1

/** Made once, because an exception with its stack is dear. */
const settledInTime = new DOMException('settled in time', 'AbortError')

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null)?.then === 'function'
}

/**
 * Waits for a promise, but no longer than `ms` and not past the signal. Ends the wait, never the work: what the promise
 * brings later is dropped, a late rejection too.
 */
export function settleWithin<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal,
  clock: Clock,
): Promise<Settled<T>> {
  if (signal.aborted) {
    promise.then(undefined, () => undefined)
    return Promise.resolve({ kind: 'aborted' })
  }
  return new Promise((resolve) => {
    let stopTimer: (() => void) | null = null
    // Most promises settle before the event loop turns, and then need no timer.
    const starting = setImmediate(() => {
      stopTimer = timer(clock, Math.min(Math.max(ms, 0), longestTimerMs), () => end({ kind: 'timeout' }))
    })
    const onAbort = () => end({ kind: 'aborted' })
    const end = (settled: Settled<T>) => {
      signal.removeEventListener('abort', onAbort)
      clearImmediate(starting)
      stopTimer?.()
      resolve(settled)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => end({ kind: 'value', value }),
      (cause: unknown) => end({ kind: 'failed', cause }),
    )
  })
}

/** Returns what stops it. */
function timer(clock: Clock, ms: number, run: () => void): () => void {
  if (clock.after !== undefined) return clock.after(ms, run)
  const controller = new AbortController()
  clock.sleep(ms, controller.signal).then(run, () => undefined)
  return () => controller.abort(settledInTime)
}

/** Runs something that may or may not be asynchronous, and waits as {@link settleWithin} does. */
export function attempt<T>(
  run: () => T | Promise<T>,
  ms: number,
  signal: AbortSignal,
  clock: Clock,
): Settled<T> | Promise<Settled<T>> {
  try {
    const value = run()
    return isPromise(value) ? settleWithin(value, ms, signal, clock) : { kind: 'value', value }
  } catch (cause) {
    return { kind: 'failed', cause }
  }
}
