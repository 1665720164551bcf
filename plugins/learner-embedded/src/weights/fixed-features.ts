/** Features of a candidate that stay the same from decision to decision, with the sum of their weights. */
export class FixedFeatures {
  readonly indices: Int32Array
  #sum = 0
  #revision = -1

  constructor(indices: Int32Array) {
    this.indices = indices
  }

  /**
   * Sum of their weights, in their order, so that a sum that goes on from it has the bits of one from the beginning.
   *
   * @param revision - changes whenever the weights do; the sum is kept for the latest.
   */
  sum(weights: Float64Array, revision: number): number {
    if (revision === this.#revision) return this.#sum
    let sum = 0
    for (let i = 0; i < this.indices.length; i++) sum += weights[this.indices[i] as number] as number
    this.#revision = revision
    this.#sum = sum
    return sum
  }
}
