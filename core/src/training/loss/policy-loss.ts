import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Aggregation, KlPenalty, Loss, LossInput, LossOutput } from '../../vocabulary/training-sample.ts'
import { klEstimate } from './kl-estimate.ts'
import { type SurrogateOptions, type SurrogateTerm, surrogateTerm } from './surrogate-term.ts'

export interface PolicyLossOptions {
  /** How it is called in reports and by servers that know it. Default "cispo", "gspo" or "grpo", by the options. */
  readonly name?: string
  /** Default "sequence-mean", the average of the GRPO paper. */
  readonly aggregation?: Aggregation
  /** Constant sequence length, in actions; required for `dr-grpo`. */
  readonly drGrpoLength?: number
  /** What a ratio out of bounds does: ends the action's gradient ("clip"), or only bounds it ("cispo"). Default "clip". */
  readonly objective?: 'clip' | 'cispo'
  /** One ratio per action, or one per sample: the geometric mean over its trained actions (GSPO). Default "token". */
  readonly importanceSamplingLevel?: 'token' | 'sequence'
  /** The ratio is clipped to [1 − low, 1 + high]. Default 0.2 and 0.28. */
  readonly clip?: { readonly low: number; readonly high: number }
  /** Bound, above 1, of the ratio where the advantage is negative (dual clip); null = none. Default null. */
  readonly dualClip?: number | null
  /** Penalty towards the reference weights; a coefficient of 0 asks for no reference. Default 0 and k3. */
  readonly kl?: KlPenalty
}

/**
 * Policy-gradient losses over actions, minimised. With ratio = exp(logProb − old), where old is the learner's own
 * log-probability before the step or else the sampler's:
 *
 *     clip    −weight · min(ratio · A, clip(ratio, 1 − low, 1 + high) · A)  + coefficient · kl
 *             and, with dual clip c, at most −c · A where A < 0
 *     cispo   −weight · sg[clip(ratio, 1 − low, 1 + high)] · A · logProb    + coefficient · kl
 *
 * On the level "sequence" the ratio is s · exp(logProb − sg[logProb]) with s = sg[exp(mean of logProb − old over the
 * sample's trained actions)], so that every action has the clip of its sequence and an advantage of its own (GSPO-token;
 * GSPO itself where advantages are equal). sg[·] passes no gradient. `weight` is the sample's own factor per action:
 * importance weights between engines and of replayed data enter there. It does not scale the penalty.
 *
 * Sums: `count`, `ratio`, `clip_frac` (actions whose ratio was out of bounds to an effect), `mismatch_kl` (k3 of
 * behaviour against trained weights); with a reference `kl`; of replayed samples `replayed_count`, `replayed_ratio`.
 * Maxima: `ratio`, and `replayed_ratio`.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID when "cispo", whose ratio is bounded on both sides anyhow, gets a dual clip.
 * @see PPO, arXiv:1707.06347, equation 7; DAPO, arXiv:2503.14476, section 3.1 (high ≠ low); dual clip:
 *   arXiv:1912.09729, equation 5; GRPO's penalty: arXiv:2402.03300, equation 3; GSPO: arXiv:2507.18071, equations 5 to 7
 *   and section 4.3; CISPO: MiniMax-M1, arXiv:2506.13585, section 3.1.
 */
export function policyLoss(options: PolicyLossOptions = {}): Loss {
  const { aggregation = 'sequence-mean', drGrpoLength, dualClip = null } = options
  const { objective = 'clip', importanceSamplingLevel = 'token' } = options
  const clip = options.clip ?? { low: 0.2, high: 0.28 }
  const kl = options.kl ?? { coefficient: 0, estimator: 'k3' }
  if (objective === 'cispo' && dualClip !== null) {
    throw new RlenvError(`the objective cispo has no dual clip, got ${dualClip}`, {
      code: 'RLENV_CONFIG_INVALID',
      fix: 'Bound the ratio by clip.high, or choose the objective "clip".',
    })
  }
  const length = drGrpoLength === undefined ? {} : { drGrpoLength }
  const needsReference = kl.coefficient !== 0
  const terms: Terms = { objective, importanceSamplingLevel, clip, dualClip, kl: needsReference ? kl : null }
  return {
    name: options.name ?? (objective === 'cispo' ? 'cispo' : importanceSamplingLevel === 'sequence' ? 'gspo' : 'grpo'),
    options: { aggregation, objective, importanceSamplingLevel, clip, dualClip, kl, ...length },
    aggregation,
    needsReference,
    inertAtZeroAdvantage: !needsReference,
    ...length,
    evaluate: (input) => evaluate(input, terms),
  }
}

interface Terms extends SurrogateOptions {
  readonly importanceSamplingLevel: 'token' | 'sequence'
  readonly kl: KlPenalty | null
}

function evaluate(input: LossInput, terms: Terms): LossOutput {
  const { sample, logProbs, referenceLogProbs = none, scales, heldLogProbs = logProbs } = input
  const { mask, behaviorLogProbs, advantages, weights } = sample
  const anchor = sample.oldLogProbs ?? behaviorLogProbs
  const shared = terms.importanceSamplingLevel === 'sequence' ? meanLogRatio(mask, heldLogProbs, anchor) : null
  const gradient = new Float64Array(mask.length)
  const tally = new ActionTally(sample.replayed === true, terms.kl !== null)
  let loss = 0
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue
    const logProb = at(logProbs, t)
    const scale = at(scales, t)
    const held = at(heldLogProbs, t)
    const heldLogRatio = shared ?? held - at(anchor, t)
    const term = surrogateTerm({ logProb, held, heldLogRatio, advantage: at(advantages, t) }, terms)
    const weighted = scale * at(weights, t)
    loss += weighted * term.value
    let slope = weighted * term.slope
    tally.add(term, klEstimate('k3', at(behaviorLogProbs, t), logProb).value)
    if (terms.kl) {
      const penalty = klEstimate(terms.kl.estimator, logProb, at(referenceLogProbs, t))
      loss += scale * terms.kl.coefficient * penalty.value
      slope += scale * terms.kl.coefficient * penalty.slope
      tally.kl += penalty.value
    }
    gradient[t] = slope
  }
  return { loss, gradient, ...tally.report() }
}

/** Log of the geometric mean of a sample's ratios; 0 when nothing is trained. */
function meanLogRatio(mask: Uint8Array, logProbs: Float64Array, anchor: Float64Array): number {
  let total = 0
  let count = 0
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue
    total += at(logProbs, t) - at(anchor, t)
    count += 1
  }
  return count === 0 ? 0 : total / count
}

/** What is reported of a sample's trained actions. */
class ActionTally {
  kl = 0
  readonly #replayed: boolean
  readonly #hasReference: boolean
  #count = 0
  #ratio = 0
  #clipped = 0
  #mismatch = 0
  #largestRatio = 0

  constructor(replayed: boolean, hasReference: boolean) {
    this.#replayed = replayed
    this.#hasReference = hasReference
  }

  add({ ratio, clipped }: SurrogateTerm, mismatch: number): void {
    this.#count += 1
    this.#ratio += ratio
    this.#clipped += clipped ? 1 : 0
    this.#mismatch += mismatch
    this.#largestRatio = Math.max(this.#largestRatio, ratio)
  }

  report(): Pick<LossOutput, 'sums' | 'maxima'> {
    const sums = {
      count: this.#count,
      ratio: this.#ratio,
      clip_frac: this.#clipped,
      mismatch_kl: this.#mismatch,
      ...(this.#hasReference ? { kl: this.kl } : {}),
    }
    if (!this.#replayed) return { sums, maxima: { ratio: this.#largestRatio } }
    return {
      sums: { ...sums, replayed_count: this.#count, replayed_ratio: this.#ratio },
      maxima: { ratio: this.#largestRatio, replayed_ratio: this.#largestRatio },
    }
  }
}

const none = new Float64Array(0)

/** The arrays of one sample have one length; reads past it would be a defect of the learner. */
function at(values: Float64Array, index: number): number {
  const value = values[index]
  if (value === undefined) throw new RangeError(`array of ${values.length} actions has no action ${index}`)
  return value
}
