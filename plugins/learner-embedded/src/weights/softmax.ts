import type { CandidateBuffer } from '../decisions/candidate-buffer.ts'

/** Logits and probabilities of one decision's candidates, in buffers that are used again. */
export class Softmax {
  /** Shape [candidates]. */
  logits = new Float64Array(256)
  probabilities = new Float64Array(256)
  /** ln Σ exp(logit), in nats. */
  logNormalizer = 0

  /**
   * Scores candidates by the sum of their features' weights, divided by the temperature.
   *
   * @param starts - shape [count + 1]: where each candidate's features start in `features`.
   */
  score(
    weights: Float64Array,
    features: Int32Array,
    starts: Int32Array,
    from: number,
    count: number,
    temperature: number,
  ): void {
    if (count > this.logits.length) this.#grow(count)
    const { logits } = this
    let largest = Number.NEGATIVE_INFINITY
    for (let candidate = 0; candidate < count; candidate++) {
      const end = starts[from + candidate + 1] as number
      let sum = 0
      for (let i = starts[from + candidate] as number; i < end; i++) sum += weights[features[i] as number] as number
      const logit = sum / temperature
      logits[candidate] = logit
      if (logit > largest) largest = logit
    }
    this.#normalize(count, largest)
  }

  /**
   * The same for the candidates of a buffer, whose fixed features are summed once per revision of the weights.
   *
   * @param revision - changes whenever the weights do.
   */
  scoreBuffer(weights: Float64Array, revision: number, buffer: CandidateBuffer, temperature: number): void {
    const { count, features, starts } = buffer
    if (count > this.logits.length) this.#grow(count)
    const { logits } = this
    let largest = Number.NEGATIVE_INFINITY
    for (let candidate = 0; candidate < count; candidate++) {
      const fixed = buffer.fixed(candidate)
      const end = starts[candidate + 1] as number
      let sum = fixed === null ? 0 : fixed.sum(weights, revision)
      let i = (starts[candidate] as number) + (fixed === null ? 0 : fixed.indices.length)
      for (; i < end; i++) sum += weights[features[i] as number] as number
      const logit = sum / temperature
      logits[candidate] = logit
      if (logit > largest) largest = logit
    }
    this.#normalize(count, largest)
  }

  logProbability(candidate: number): number {
    return (this.logits[candidate] as number) - this.logNormalizer
  }

  #normalize(count: number, largest: number): void {
    const { logits, probabilities } = this
    let total = 0
    for (let candidate = 0; candidate < count; candidate++) {
      const share = Math.exp((logits[candidate] as number) - largest)
      probabilities[candidate] = share
      total += share
    }
    for (let candidate = 0; candidate < count; candidate++) {
      probabilities[candidate] = (probabilities[candidate] as number) / total
    }
    this.logNormalizer = largest + Math.log(total)
  }

  #grow(count: number): void {
    this.logits = new Float64Array(count * 2)
    this.probabilities = new Float64Array(count * 2)
  }
}
