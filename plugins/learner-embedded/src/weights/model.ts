import { FeatureSpace } from './feature-hash.ts'
import { initialWeights } from './initial-weights.ts'

/** Weights of the policy: those being trained and those it samples with. */
export class Model {
  readonly space: FeatureSpace
  /** Being trained. */
  readonly weights: Float64Array
  /** What the policy samples with. */
  readonly published: Float64Array
  /** Where training started; the reference of a KL penalty. */
  readonly reference: Float64Array
  policyVersion = 0

  constructor(size: number, scale: number) {
    this.space = new FeatureSpace(size)
    this.reference = initialWeights(this.space, scale)
    this.weights = this.reference.slice()
    this.published = this.reference.slice()
  }

  publish(): number {
    this.published.set(this.weights)
    this.policyVersion++
    return this.policyVersion
  }
}
