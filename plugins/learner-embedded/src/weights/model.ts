import { RlenvError } from 'rlenv'
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
  #policyVersion = 0
  #revision = 0

  constructor(size: number, scale: number) {
    this.space = new FeatureSpace(size)
    this.reference = initialWeights(this.space, scale)
    this.weights = this.reference.slice()
    this.published = this.reference.slice()
  }

  get policyVersion(): number {
    return this.#policyVersion
  }

  /** Another number whenever `published` holds other weights, whatever their version. */
  get revision(): number {
    return this.#revision
  }

  publish(): number {
    this.published.set(this.weights)
    this.republished(this.#policyVersion + 1)
    return this.#policyVersion
  }

  /** Notes that other weights were written to `published`. */
  republished(version: number): void {
    this.#policyVersion = version
    this.#revision++
  }

  /**
   * Takes over what another model published, to sample with.
   *
   * @param state - the other's `published` as bytes.
   * @throws {RlenvError} RLENV_CONFIG_INVALID when it has another number of weights.
   */
  adopt(version: number, state: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = this.published
    if (state.byteLength !== byteLength) {
      const own = this.published.length
      const message = `${state.byteLength} bytes are not the ${own} weights that this policy has`
      throw new RlenvError(message, { code: 'RLENV_CONFIG_INVALID', fix: 'Give both policies the same options.' })
    }
    new Uint8Array(buffer, byteOffset, byteLength).set(state)
    this.republished(version)
  }
}
