import type { Clock } from '../determinism/clock.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Flight } from './flight.ts'
import { flightNode, type WaitNode, waitLines } from './wait-graph.ts'

/** Milliseconds between two looks at what is in flight. */
const tickMs = 250

/** What waits for the rollouts that are watched. */
export interface WaitSurroundings {
  readonly waiter: string
  readonly nodes: readonly WaitNode[]
}

/**
 * Looks after everything in flight with one timer: gives up what is past its deadline, and says who waits for whom when
 * nothing has finished for a while. Silent waiting is worse than a crash.
 */
export class ProgressWatch {
  readonly #flights = new Set<Flight>()
  readonly #clock: Clock
  readonly #events: EventSink
  readonly #deadlineMs: number
  /** What the whole collection waits for; null when it waits for nothing. */
  readonly #surroundings: () => WaitSurroundings | null
  #progressAt: number
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, events: EventSink, deadlineMs: number, surroundings: () => WaitSurroundings | null) {
    this.#clock = clock
    this.#events = events
    this.#deadlineMs = deadlineMs
    this.#surroundings = surroundings
    this.#progressAt = clock.now()
  }

  add(flight: Flight): void {
    this.#flights.add(flight)
  }

  /** A rollout ended: that is progress. */
  delete(flight: Flight): void {
    this.#flights.delete(flight)
    this.#progressAt = this.#clock.now()
  }

  /** Asks everything in flight to stop within `graceMs`. */
  cancelAll(graceMs: number): void {
    const deadline = this.#clock.now() + graceMs
    for (const flight of this.#flights) flight.cancel(deadline)
  }

  /** Ticks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#progressAt = this.#clock.now()
    while (!signal.aborted) {
      try {
        await this.#clock.sleep(tickMs, signal)
      } catch {
        return
      }
      this.#tick(this.#clock.now())
    }
  }

  #tick(now: number): void {
    for (const flight of this.#flights) flight.check(now)
    if (this.#flights.size === 0 || now - Math.max(this.#progressAt, this.#toldAt) < this.#deadlineMs) return
    this.#toldAt = now
    const { waiter, nodes } = this.#surroundings() ?? { waiter: 'rollouts that nobody waits for', nodes: [] }
    const since = this.#progressAt
    const graph = waitLines([flightNode(this.#flights, now), ...nodes])
    this.#events({ type: 'waiting', waiter, since, forMs: now - since, graph })
  }
}
