import type Database from 'better-sqlite3'
import { RandomStream } from '../../determinism/random-stream.ts'
import { type FunctionWatch, freezeFunctions, type RandomSource } from './frozen-functions.ts'
import { openSqlite } from './native-module.ts'

const streamName = 'sqlite-random'

/** `random()` of one connection: named after a seed, started at its first use, restarted by {@link reseed}. */
export class SeededRandom implements RandomSource {
  #seed: number
  #stream: RandomStream | undefined
  #drawn = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  reseed(seed: number): void {
    this.#seed = seed
    this.#stream = undefined
    this.#drawn = 0
  }

  /** How many numbers have been drawn since the seed was set. */
  get drawn(): number {
    return this.#drawn
  }

  /** Goes back to where `drawn` numbers had been drawn, at most as many as have been. Takes as long as drawing them. */
  rewind(drawn: number): void {
    if (drawn === this.#drawn) return
    this.reseed(this.#seed)
    while (this.#drawn < drawn) this.next()
  }

  /** An independent source that goes on with the same numbers. */
  copy(): SeededRandom {
    const copy = new SeededRandom(this.#seed)
    if (this.#stream !== undefined) {
      copy.#stream = RandomStream.of(this.#seed, streamName)
      copy.#stream.restore(this.#stream.state())
      copy.#drawn = this.#drawn
    }
    return copy
  }

  next(): bigint {
    this.#stream ??= RandomStream.of(this.#seed, streamName)
    this.#drawn++
    const high = BigInt(this.#stream.uint32())
    return BigInt.asIntN(64, (high << 32n) | BigInt(this.#stream.uint32()))
  }
}

/** A connection whose time stands still and whose random numbers follow a seed; foreign keys are enforced. */
export function openConnection(
  source: string | Buffer,
  clock: string,
  random: RandomSource,
  watch?: FunctionWatch,
): Database.Database {
  const database = openSqlite(source)
  freezeFunctions(database, clock, random, watch)
  return database
}
