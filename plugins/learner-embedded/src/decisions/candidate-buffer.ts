import type { FeatureSpace } from '../weights/feature-hash.ts'
import type { FixedFeatures } from '../weights/fixed-features.ts'

/** Candidates of one decision, each a list of binary features. Reused from decision to decision. */
export class CandidateBuffer {
  readonly #space: FeatureSpace
  #features: Int32Array = new Int32Array(1 << 15)
  #starts: Int32Array = new Int32Array(256)
  readonly #fixed: (FixedFeatures | null)[] = []
  #length = 0
  #count = 0

  constructor(space: FeatureSpace) {
    this.#space = space
  }

  /** Number of candidates. */
  get count(): number {
    return this.#count
  }

  /** Number of features of all candidates. */
  get length(): number {
    return this.#length
  }

  /** Feature indices of all candidates, one after the other. */
  get features(): Int32Array {
    return this.#features
  }

  /** Where each candidate's features start; the entry after the last is where they end. */
  get starts(): Int32Array {
    this.#starts[this.#count] = this.#length
    return this.#starts
  }

  /** What a candidate began with; null for nothing. */
  fixed(candidate: number): FixedFeatures | null {
    return this.#fixed[candidate] ?? null
  }

  reset(): void {
    this.#length = 0
    this.#count = 0
  }

  /** Begins the next candidate, with features that it has at each decision of its kind. */
  open(fixed: FixedFeatures | null = null): void {
    if (this.#count + 2 > this.#starts.length) this.#starts = grown(this.#starts, this.#count + 2)
    this.#fixed[this.#count] = fixed
    this.#starts[this.#count++] = this.#length
    if (fixed !== null) this.#append(fixed.indices)
  }

  relational(feature: number, value: number): void {
    this.#push(this.#space.relational(feature, value))
  }

  lexical(feature: number, pair: number): void {
    this.#push(this.#space.lexical(feature, pair))
  }

  #append(features: Int32Array): void {
    const length = this.#length + features.length
    if (length > this.#features.length) this.#features = grown(this.#features, length)
    this.#features.set(features, this.#length)
    this.#length = length
  }

  #push(index: number): void {
    if (this.#length === this.#features.length) this.#features = grown(this.#features, this.#length + 1)
    this.#features[this.#length++] = index
  }
}

function grown(array: Int32Array, least: number): Int32Array {
  const larger = new Int32Array(Math.max(least, array.length * 2))
  larger.set(array)
  return larger
}

/** Packs small buckets, each below 8, into one feature value. */
export function pack(a: number, b = 0, c = 0, d = 0): number {
  return a | (b << 3) | (c << 6) | (d << 9)
}
