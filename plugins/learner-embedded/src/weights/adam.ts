/** Settings of the optimiser. */
export interface AdamOptions {
  readonly learningRate: number
  /** Learning rate of the lexical half. */
  readonly lexicalLearningRate: number
  readonly beta1: number
  readonly beta2: number
  readonly epsilon: number
}

/** What is known of a gradient before it is applied. */
export interface GradientNorm {
  /** L2 norm over the touched weights; not finite when any of them is not. */
  readonly norm: number
  readonly touched: number
}

/**
 * Adam on the weights that a batch touched. Moments of untouched weights stay as they are, and moments start without bias
 * correction, so that a weight's first step has the size of the learning rate times (1 − β1) / √(1 − β2).
 */
export class Adam {
  readonly gradient: Float64Array
  readonly firstMoments: Float64Array
  readonly secondMoments: Float64Array
  readonly #options: AdamOptions
  readonly #lexicalStart: number
  readonly #isTouched: Uint8Array
  readonly #touched: Int32Array
  #count = 0

  constructor(size: number, lexicalStart: number, options: AdamOptions) {
    this.#options = options
    this.#lexicalStart = lexicalStart
    this.gradient = new Float64Array(size)
    this.firstMoments = new Float64Array(size)
    this.secondMoments = new Float64Array(size)
    this.#isTouched = new Uint8Array(size)
    this.#touched = new Int32Array(size)
  }

  /** Adds `amount` to the gradient of every weight in `features[from..to)`. */
  add(features: Int32Array, from: number, to: number, amount: number): void {
    for (let i = from; i < to; i++) {
      const weight = features[i] as number
      if (this.#isTouched[weight] === 0) {
        this.#isTouched[weight] = 1
        this.#touched[this.#count++] = weight
      }
      this.gradient[weight] = (this.gradient[weight] as number) + amount
    }
  }

  norm(): GradientNorm {
    let squares = 0
    for (let i = 0; i < this.#count; i++) {
      const value = this.gradient[this.#touched[i] as number] as number
      squares += value * value
    }
    return { norm: Math.sqrt(squares), touched: this.#count }
  }

  /** Moves the weights against the gradient times `factor`. Does not forget it. */
  apply(weights: Float64Array, factor: number): void {
    const { learningRate, lexicalLearningRate, beta1, beta2, epsilon } = this.#options
    for (let i = 0; i < this.#count; i++) {
      const weight = this.#touched[i] as number
      const slope = (this.gradient[weight] as number) * factor
      const first = beta1 * (this.firstMoments[weight] as number) + (1 - beta1) * slope
      const second = beta2 * (this.secondMoments[weight] as number) + (1 - beta2) * slope * slope
      this.firstMoments[weight] = first
      this.secondMoments[weight] = second
      const rate = weight < this.#lexicalStart ? learningRate : lexicalLearningRate
      weights[weight] = (weights[weight] as number) - (rate * first) / (Math.sqrt(second) + epsilon)
    }
  }

  /** Drops what was accumulated. */
  forget(): void {
    for (let i = 0; i < this.#count; i++) {
      const weight = this.#touched[i] as number
      this.gradient[weight] = 0
      this.#isTouched[weight] = 0
    }
    this.#count = 0
  }
}
