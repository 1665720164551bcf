/** A hand-set weight for every value of a feature. */
export interface Preference {
  readonly feature: number
  /** How many buckets each of its up to four parts has. */
  readonly sizes: readonly number[]
  /** In logits, before scaling. */
  weight(a: number, b: number, c: number, d: number): number
}

/** The entry of a list of weights by bucket; 0 past its end. */
export function at(weights: readonly number[], bucket: number): number {
  return weights[bucket] ?? 0
}
