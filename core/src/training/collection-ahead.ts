import type { Json } from '../vocabulary/json.ts'

/** What the collection of a step starts from; enough to collect it once more. */
export interface CollectionOrigin {
  /** Ordinal of the step's first draw. */
  readonly frontier: number
  readonly sampler: Json
  /** What the groups chain remembered. */
  readonly memory: Json
  /** Nobody starts from it any more; until then what it refers to stays readable. May be called again. */
  release(): void
}

export interface CollectionParts<Collected> {
  /** Collects one step. Called for one step after the other, never for two at a time. */
  readonly collect: (step: number, origin: CollectionOrigin) => Promise<Collected>
  readonly frontierAfter: (collected: Collected) => number
  readonly snapshot: () => Omit<CollectionOrigin, 'frontier'>
  /** How many steps the collection may be ahead of the learner; 0 = it waits for each update. */
  readonly maxStaleness: number
  /** Steps of the whole run. */
  readonly steps: number
}

/**
 * Collects steps ahead of the learner, up to a bound. Step k is collected once step k − 1 has been and k − bound steps are
 * learnt, never earlier and never for another policy than that of this moment, so that a run with a bound is as
 * repeatable as one without. With a bound of 0 collection and learning take turns.
 */
export class CollectionAhead<Collected> {
  readonly #parts: CollectionParts<Collected>
  readonly #origins = new Map<number, CollectionOrigin>()
  readonly #begun = new Map<number, Promise<Collected>>()
  readonly #collected = new Set<number>()
  #last: Promise<unknown> = Promise.resolve()
  #next: number
  #frontier: number

  constructor(parts: CollectionParts<Collected>, finishedSteps: number, frontier: number) {
    this.#parts = parts
    this.#next = finishedSteps
    this.#frontier = frontier
  }

  /** Lets every step begin that the bound allows after so many finished ones. */
  advance(finishedSteps: number): void {
    const { maxStaleness, steps } = this.#parts
    while (this.#next < steps && this.#next <= finishedSteps + maxStaleness) this.#begin(this.#next++)
  }

  /** The step's rollouts, once they are there. A step can be taken once. */
  async take(step: number): Promise<Collected> {
    const collecting = this.#begun.get(step)
    if (collecting === undefined) throw new RangeError(`step ${step} has not begun`)
    const collected = await collecting
    this.#begun.delete(step)
    this.#collected.delete(step)
    return collected
  }

  /** What the collection of a step started from, or would start from now. Forgets and releases those of earlier steps. */
  origin(step: number): CollectionOrigin {
    for (const [key, origin] of this.#origins) {
      if (key >= step) continue
      this.#origins.delete(key)
      origin.release()
    }
    return this.#origins.get(step) ?? { ...this.#parts.snapshot(), frontier: this.#frontier }
  }

  /** For people: which steps are being collected, and which wait for the learner. */
  describe(): string {
    const begun = [...this.#begun.keys()]
    const collecting = begun.find((step) => !this.#collected.has(step))
    const waiting = begun.filter((step) => this.#collected.has(step))
    const now =
      collecting === undefined ? 'collection has come as far as it may' : `step ${collecting} is being collected`
    const before = waiting.length === 0 ? 'none before it waits' : `${waiting.length} before it wait`
    return `${now}, ${before} for the learner, at most ${this.#parts.maxStaleness} ahead`
  }

  /** Resolves when nothing is being collected any more. */
  async settled(): Promise<void> {
    await this.#last.catch(() => undefined)
  }

  #begin(step: number): void {
    const collecting = this.#last.then(() => this.#collect(step))
    // Whoever takes the step hears of a failure; one that nobody takes is nobody's.
    collecting.catch(() => undefined)
    this.#begun.set(step, collecting)
    this.#last = collecting
  }

  async #collect(step: number): Promise<Collected> {
    const origin = { ...this.#parts.snapshot(), frontier: this.#frontier }
    this.#origins.set(step, origin)
    const collected = await this.#parts.collect(step, origin)
    this.#frontier = this.#parts.frontierAfter(collected)
    this.#collected.add(step)
    return collected
  }
}
