import type { Aggregation, Loss, LossInput, LossOutput } from '../../vocabulary/training-sample.ts'
import { type KlEstimator, klEstimate } from './kl-estimate.ts'

export interface PolicyLossOptions {
  /** How it is called in reports and by servers that know it. Default "grpo". */
  readonly name?: string
  /** Default "sequence-mean", the average of the GRPO paper. */
  readonly aggregation?: Aggregation
  /** Constant sequence length, in actions; required for `dr-grpo`. */
  readonly drGrpoLength?: number
  /** The ratio is clipped to [1 − low, 1 + high]. Default 0.2 and 0.28. */
  readonly clip?: { readonly low: number; readonly high: number }
  /** Bound, above 1, of the ratio where the advantage is negative (dual clip); null = none. Default null. */
  readonly dualClip?: number | null
  /** Penalty towards the reference weights; a coefficient of 0 asks for no reference. Default 0 and k3. */
  readonly kl?: { readonly coefficient: number; readonly estimator: KlEstimator }
}

/** Beyond this log-ratio, in nats, the ratio is held and passes no gradient, so that no action makes a step infinite. */
const largestLogRatio = 20

/**
 * Clipped surrogate over actions, minimised:
 *
 *     ratio = exp(logProb − behaviorLogProb)
 *     term  = −weight · min(ratio · A, clip(ratio, 1 − low, 1 + high) · A)  + coefficient · kl
 *
 * and, with dual clip c, at most −c · A where A < 0. `weight` is the sample's own factor per action: truncated
 * importance sampling between engines and the importance of replayed data enter there. It does not scale the penalty.
 *
 * Sums: `count`, `ratio`, `clip_frac` (actions whose clip removed the gradient), `mismatch_kl` (k3 of behaviour against
 * trained weights) and, with a reference, `kl`. Maximum: `ratio`.
 *
 * @see PPO, arXiv:1707.06347, equation 7; DAPO, arXiv:2503.14476, section 3.1 (high ≠ low); dual clip:
 *   arXiv:1912.09729, equation 5; GRPO's penalty: arXiv:2402.03300, equation 3.
 */
export function policyLoss(options: PolicyLossOptions = {}): Loss {
  const { name = 'grpo', aggregation = 'sequence-mean', drGrpoLength, dualClip = null } = options
  const clip = options.clip ?? { low: 0.2, high: 0.28 }
  const kl = options.kl ?? { coefficient: 0, estimator: 'k3' }
  const needsReference = kl.coefficient !== 0
  return {
    name,
    options: { aggregation, clip, dualClip, kl, ...(drGrpoLength === undefined ? {} : { drGrpoLength }) },
    aggregation,
    needsReference,
    inertAtZeroAdvantage: !needsReference,
    ...(drGrpoLength === undefined ? {} : { drGrpoLength }),
    evaluate: (input) => evaluate(input, { clip, dualClip, kl: needsReference ? kl : null }),
  }
}

interface Terms {
  readonly clip: { readonly low: number; readonly high: number }
  readonly dualClip: number | null
  readonly kl: { readonly coefficient: number; readonly estimator: KlEstimator } | null
}

function evaluate({ sample, logProbs, referenceLogProbs, scales }: LossInput, terms: Terms): LossOutput {
  const { mask, behaviorLogProbs, advantages, weights } = sample
  const gradient = new Float64Array(mask.length)
  const sums = { count: 0, ratio: 0, clip_frac: 0, mismatch_kl: 0, ...(terms.kl ? { kl: 0 } : {}) }
  let loss = 0
  let largestRatio = 0
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue
    const logProb = at(logProbs, t)
    const scale = at(scales, t)
    const surrogate = surrogateTerm(logProb - at(behaviorLogProbs, t), at(advantages, t), terms)
    const weighted = scale * at(weights, t)
    loss += weighted * surrogate.value
    gradient[t] = weighted * surrogate.slope
    sums.count += 1
    sums.ratio += surrogate.ratio
    sums.clip_frac += surrogate.clipped ? 1 : 0
    sums.mismatch_kl += klEstimate('k3', at(behaviorLogProbs, t), logProb).value
    largestRatio = Math.max(largestRatio, surrogate.ratio)
    if (terms.kl) {
      const penalty = klEstimate(terms.kl.estimator, logProb, at(referenceLogProbs ?? missing, t))
      loss += scale * terms.kl.coefficient * penalty.value
      gradient[t] = at(gradient, t) + scale * terms.kl.coefficient * penalty.slope
      sums.kl = (sums.kl ?? 0) + penalty.value
    }
  }
  return { loss, gradient, sums, maxima: { ratio: largestRatio } }
}

/** One action's term and its derivative with respect to the log-probability. */
function surrogateTerm(
  logRatio: number,
  advantage: number,
  { clip, dualClip }: Terms,
): { readonly value: number; readonly slope: number; readonly ratio: number; readonly clipped: boolean } {
  const held = Math.min(Math.max(logRatio, -largestLogRatio), largestLogRatio)
  const ratio = Math.exp(held)
  if (advantage >= 0) {
    const clipped = advantage > 0 && ratio > 1 + clip.high
    return clipped
      ? { value: -(1 + clip.high) * advantage, slope: 0, ratio, clipped }
      : { value: -ratio * advantage, slope: held === logRatio ? -ratio * advantage : 0, ratio, clipped }
  }
  if (ratio < 1 - clip.low) return { value: -(1 - clip.low) * advantage, slope: 0, ratio, clipped: true }
  if (dualClip !== null && ratio > dualClip) return { value: -dualClip * advantage, slope: 0, ratio, clipped: true }
  return { value: -ratio * advantage, slope: held === logRatio ? -ratio * advantage : 0, ratio, clipped: false }
}

const missing = new Float64Array(0)

/** The arrays of one sample have one length; reads past it would be a defect of the learner. */
function at(values: Float64Array, index: number): number {
  const value = values[index]
  if (value === undefined) throw new RangeError(`array of ${values.length} actions has no action ${index}`)
  return value
}
