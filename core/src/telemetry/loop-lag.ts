import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two samples; what the event loop is late by is on top of it. */
const resolutionMs = 10

/** How late this thread's event loop is while something goes on: what a run adds to every answer that it waits for. */
export class LoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs })

  constructor() {
    this.#histogram.enable()
  }

  /** Ends the measurement. In milliseconds. */
  stop(): { readonly p99Ms: number; readonly maxMs: number } {
    this.#histogram.disable()
    const { count } = this.#histogram
    if (count === 0) return { p99Ms: 0, maxMs: 0 }
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    return { p99Ms: late(this.#histogram.percentile(99)), maxMs: late(this.#histogram.max) }
  }
}
