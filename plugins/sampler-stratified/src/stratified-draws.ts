import type { Json, RandomStream, TaskSampler } from 'rlenv'
import { readState, type StratifiedState, writeState } from './sampler-state.ts'

/**
 * Draws strata in proportion to their shares, each task of a stratum once per shuffled pass over it. Shares are kept by
 * deficit: the stratum that is furthest behind its share comes next, so that every prefix of the run is in proportion.
 */
export class StratifiedDraws implements TaskSampler {
  readonly #strata: ReadonlyMap<string, readonly string[]>
  readonly #shares: ReadonlyMap<string, number>
  readonly #random: RandomStream
  #remaining: Map<string, readonly string[]> = new Map()
  #drawn: Map<string, number> = new Map()

  constructor(
    strata: ReadonlyMap<string, readonly string[]>,
    shares: ReadonlyMap<string, number>,
    random: RandomStream,
  ) {
    this.#strata = strata
    this.#shares = shares
    this.#random = random
  }

  draw(count: number): readonly string[] {
    const drawn = Array.from({ length: count }, () => this.#fromStratum(this.#nextStratum()))
    return this.#random.shuffle(drawn)
  }

  observe(): void {}

  state(): Json {
    const remaining = Object.fromEntries(this.#remaining)
    return writeState({ random: this.#random.state(), remaining, drawn: Object.fromEntries(this.#drawn) })
  }

  restore(state: Json): void {
    const { random, remaining, drawn }: StratifiedState = readState(state, this.#strata)
    this.#random.restore(random)
    this.#remaining = new Map(Object.entries(remaining))
    this.#drawn = new Map(Object.entries(drawn))
  }

  #nextStratum(): string {
    const total = [...this.#drawn.values()].reduce((sum, count) => sum + count, 0)
    let next = { name: '', deficit: Number.NEGATIVE_INFINITY }
    for (const [name, share] of this.#shares) {
      const deficit = share * (total + 1) - (this.#drawn.get(name) ?? 0)
      if (share > 0 && deficit > next.deficit + 1e-9) next = { name, deficit }
    }
    return next.name
  }

  #fromStratum(name: string): string {
    const left = this.#remaining.get(name) ?? []
    const [task = '', ...rest] = left.length > 0 ? left : this.#random.shuffle(this.#strata.get(name) ?? [])
    this.#remaining.set(name, rest)
    this.#drawn.set(name, (this.#drawn.get(name) ?? 0) + 1)
    return task
  }
}
