import type { StopReason } from '../vocabulary/outcome.ts'
import { faultCodes } from './fault-codes.ts'

/** The kind of what an attempt waits for. */
export type FlightState = 'policy' | 'tools' | 'world' | 'verifier' | 'shard'

/** What stands before the name of what is waited for. */
export const stateWords: Readonly<Record<FlightState, string>> = {
  policy: 'policy',
  tools: 'the tools of',
  world: 'world',
  verifier: 'the verifier of',
  shard: 'shard',
}

/** What an attempt waits for: a policy or world by name, tools by their environment, a verifier by its task, a shard by its number. */
export interface FlightTarget {
  readonly state: FlightState
  readonly target: string
}

/** One attempt in flight: what it waits for, until when, and how it is ended from outside. */
export class Flight {
  /** For people: "rollout d3/2 of shop/t4, attempt 1". */
  readonly label: string
  readonly signal: AbortSignal
  /** Settles when the engine gives the attempt up, with the reason that then stands in its trajectory. */
  readonly abandoned: Promise<StopReason>
  readonly #controller = new AbortController()
  readonly #abandon: (stop: StopReason) => void
  #waitsFor: FlightTarget
  #since: number
  #deadline: number
  #isCancelled = false

  constructor(label: string, waitsFor: FlightTarget, now: number, deadline: number) {
    let abandon: (stop: StopReason) => void = () => undefined
    this.abandoned = new Promise((resolve) => {
      abandon = resolve
    })
    this.label = label
    this.signal = this.#controller.signal
    this.#abandon = abandon
    this.#waitsFor = waitsFor
    this.#since = now
    this.#deadline = deadline
  }

  get waitsFor(): FlightTarget {
    return this.#waitsFor
  }

  get state(): FlightState {
    return this.#waitsFor.state
  }

  get target(): string {
    return this.#waitsFor.target
  }

  get since(): number {
    return this.#since
  }

  wait(waitsFor: FlightTarget, now: number): void {
    this.#waitsFor = waitsFor
    this.#since = now
  }

  /** Moves the point in time at which it is given up. */
  extend(deadline: number): void {
    if (!this.#isCancelled) this.#deadline = deadline
  }

  /** Asks it to stop; it is given up when it has not done so by the deadline. */
  cancel(deadline: number): void {
    this.#isCancelled = true
    this.#deadline = Math.min(this.#deadline, deadline)
    this.#controller.abort(cancelled)
  }

  /** It has ended: whatever it still has running somewhere may stop. */
  end(): void {
    this.#controller.abort(stalled)
  }

  /** Gives it up when its time is over. */
  check(now: number): void {
    if (now < this.#deadline) return
    this.#controller.abort(stalled)
    this.#abandon(this.#stopReason(now))
  }

  #stopReason(now: number): StopReason {
    const { state, target } = this.#waitsFor
    const whom = `${stateWords[state]} ${target}`
    if (this.#isCancelled) return { kind: 'cancelled', message: `given up while it waited for ${whom}` }
    const message = `nothing came from ${whom} for ${now - this.#since} ms`
    return {
      kind: 'faulted',
      in: state === 'policy' ? 'model' : 'environment',
      code: faultCodes.rolloutStalled,
      message,
    }
  }
}

/** Made once: a fresh exception with its stack costs more than a rollout's other overhead. */
const cancelled = new DOMException('the run was cancelled', 'AbortError')
const stalled = new DOMException('the rollout has ended', 'TimeoutError')
