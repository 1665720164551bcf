import type Database from 'better-sqlite3'
import { RandomStream } from '../../determinism/random-stream.ts'
import { freezeFunctions, type RandomSource } from './frozen-functions.ts'
import { openSqlite } from './native-module.ts'

const streamName = 'sqlite-random'

/** `random()` of one connection: named after a seed, started at its first use, restarted by {@link reseed}. */
export class SeededRandom implements RandomSource {
  #seed: number
  #stream: RandomStream | undefined

  constructor(seed: number) {
    this.#seed = seed
  }

  reseed(seed: number): void {
    this.#seed = seed
    this.#stream = undefined
  }

  /** An independent source that goes on with the same numbers. */
  copy(): SeededRandom {
    const copy = new SeededRandom(this.#seed)
    if (this.#stream !== undefined) {
      copy.#stream = RandomStream.of(this.#seed, streamName)
      copy.#stream.restore(this.#stream.state())
    }
    return copy
  }

  next(): bigint {
    this.#stream ??= RandomStream.of(this.#seed, streamName)
    const high = BigInt(this.#stream.uint32())
    return BigInt.asIntN(64, (high << 32n) | BigInt(this.#stream.uint32()))
  }
}

/** A connection whose time stands still and whose random numbers follow a seed; foreign keys are enforced. */
export function openConnection(source: string | Buffer, clock: string, random: RandomSource): Database.Database {
  const database = openSqlite(source)
  freezeFunctions(database, clock, random)
  return database
}
