import type { Draw } from '../../hooks/roles.ts'
import type { Shard } from './shard.ts'

/** Draws whose place is remembered. Far more than are ever open at a time. */
const mostDraws = 4_096

/** Which shard a draw's rollouts go to. */
export class DrawPlaces {
  readonly #places = new Map<string, Shard>()
  readonly #promised = new Map<string, Shard>()

  of(draw: Draw): Shard | undefined {
    return this.#places.get(draw.id)
  }

  set(draw: Draw, shard: Shard): void {
    this.#places.delete(draw.id)
    this.#places.set(draw.id, shard)
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= mostDraws) return
      this.#places.delete(oldest)
    }
  }

  /** Rollouts of this draw are to come. */
  promise(draw: Draw, shard: Shard): void {
    this.#promised.set(draw.id, shard)
  }

  /** They have come. */
  keep(draw: Draw): void {
    this.#promised.delete(draw.id)
  }

  /** Draws that a shard has in hand or is to get. */
  burden(shard: Shard): number {
    let promised = 0
    for (const promisedTo of this.#promised.values()) if (promisedTo === shard) promised++
    return shard.draws + promised
  }
}
