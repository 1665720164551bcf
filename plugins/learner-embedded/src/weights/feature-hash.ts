/**
 * Where features live in the weight vector. The lower half holds relational features (how a candidate stands to the
 * state), the upper half lexical ones (which words meet); each half has its own learning rate.
 */

/** Mixes two 32-bit integers into one. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x85ebca6b), 0xc2b2ae35)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x27d4eb2f)
  return hash ^ (hash >>> 13)
}

/** Mixes two integers so that their order does not matter. */
export function mixUnordered(a: number, b: number): number {
  return a < b ? mix(a, b) : mix(b, a)
}

const relationalSeed = 0x9e3779b1
const lexicalSeed = 0x51ed270b

/** What a seed and each of the small feature numbers mix to. */
function mixedWith(seed: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, feature) => mix(seed, feature))
}

const relationalMixes = mixedWith(relationalSeed)
const lexicalMixes = mixedWith(lexicalSeed)

/** Turns (feature, value) into an index of a weight vector of a power-of-two size. */
export class FeatureSpace {
  readonly size: number
  readonly #mask: number
  readonly #half: number

  constructor(size: number) {
    this.size = size
    this.#half = size / 2
    this.#mask = this.#half - 1
  }

  /** First index of the lexical half. */
  get lexicalStart(): number {
    return this.#half
  }

  relational(feature: number, value: number): number {
    return mix(relationalMixes[feature] ?? mix(relationalSeed, feature), value) & this.#mask
  }

  lexical(feature: number, pair: number): number {
    return (mix(lexicalMixes[feature] ?? mix(lexicalSeed, feature), pair) & this.#mask) + this.#half
  }
}
