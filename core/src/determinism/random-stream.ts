import { hash } from 'node:crypto'

/** State of a stream: four unsigned 32-bit words. */
export type RandomState = readonly [number, number, number, number]

/**
 * A reproducible stream of random numbers (sfc32). Streams with different names are independent, so adding a consumer
 * never shifts another one's numbers.
 */
export class RandomStream {
  readonly #key: string
  #a: number
  #b: number
  #c: number
  #counter: number

  private constructor(key: string, state: RandomState) {
    this.#key = key
    ;[this.#a, this.#b, this.#c, this.#counter] = state
  }

  /** The stream that a seed and a path of names lead to. */
  static of(seed: number | string, ...names: readonly (string | number)[]): RandomStream {
    return RandomStream.#fromKey(JSON.stringify([String(seed), ...names.map(String)]))
  }

  static #fromKey(key: string): RandomStream {
    const digest = hash('sha256', key, 'hex')
    return new RandomStream(key, [word(digest, 0), word(digest, 1), word(digest, 2), word(digest, 3) | 1])
  }

  /** A stream with this one's key in a state of its own; see `key` and `state()`. */
  static revive(key: string, state: RandomState): RandomStream {
    return new RandomStream(key, state)
  }

  /** What its forks descend from. */
  get key(): string {
    return this.#key
  }

  /** A stream of its own below this one; does not draw from it. */
  fork(...names: readonly (string | number)[]): RandomStream {
    return RandomStream.#fromKey(JSON.stringify([this.#key, ...names.map(String)]))
  }

  /** Uniform integer in [0, 2^32). */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }

  /** Uniform real in [0, 1) with 53 random bits. */
  real(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992
  }

  /** Uniform integer in [0, bound). */
  int(bound: number): number {
    return Math.floor(this.real() * bound)
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.real() < probability
  }

  /** One of the items; the array must not be empty. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list')
    return items[this.int(items.length)] as T
  }

  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items]
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.int(i + 1)
      ;[copy[i], copy[j]] = [copy[j] as T, copy[i] as T]
    }
    return copy
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter]
  }

  restore(state: RandomState): void {
    ;[this.#a, this.#b, this.#c, this.#counter] = state
  }
}

/** The n-th 32-bit word, little-endian, of bytes written in hexadecimal digits. */
function word(digits: string, n: number): number {
  const big = Number.parseInt(digits.slice(8 * n, 8 * n + 8), 16)
  return ((big << 24) | ((big & 0xff00) << 8) | ((big >>> 8) & 0xff00) | (big >>> 24)) >>> 0
}
