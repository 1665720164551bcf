import type { KlPenalty, TrainingSample } from '../../vocabulary/training-sample.ts'
import { klEstimate } from './kl-estimate.ts'

/** What of a sample its shaped advantages depend on. */
export type ShapedSample = Pick<TrainingSample, 'mask' | 'advantages' | 'behaviorLogProbs' | 'oldLogProbs'>

/** Advantages of one training step with the distance to the reference taken off, and how large that distance is. */
export interface KlShaping {
  /** Per sample, shape [T], in advantage units. */
  readonly advantages: readonly Float64Array[]
  /** Mean of the estimates over all trained actions, in nats; 0 when nothing is trained. */
  readonly meanKl: number
}

/**
 * A penalty towards the reference as part of the reward: A − coefficient · (kl − mean kl), per trained action, the mean
 * over all trained actions of the step, so that shaping moves no advantage up or down on the whole. `kl` is estimated
 * from the learner's log-probabilities before the step where they are known, from the sampler's otherwise. Masked actions
 * are never looked at.
 *
 * @param reference - per sample, shape [T]: log-probabilities under the frozen reference, in nats.
 * @see the reward of InstructGPT, arXiv:2203.02155, equation 2; here as an advantage, centred over the step.
 */
export function klInReward(
  samples: readonly ShapedSample[],
  reference: readonly Float64Array[],
  { coefficient, estimator }: KlPenalty,
): KlShaping {
  let total = 0
  let count = 0
  const estimates = samples.map(({ mask, behaviorLogProbs, oldLogProbs = behaviorLogProbs }, index) => {
    const estimate = new Float64Array(mask.length)
    for (let t = 0; t < mask.length; t++) {
      if (mask[t] === 0) continue
      estimate[t] = klEstimate(estimator, Number(oldLogProbs[t]), Number(reference[index]?.[t])).value
      total += Number(estimate[t])
      count += 1
    }
    return estimate
  })
  const meanKl = count === 0 ? 0 : total / count
  const advantages = samples.map(({ mask, advantages: own }, index) =>
    own.map((advantage, t) =>
      mask[t] === 0 ? advantage : advantage - coefficient * (Number(estimates[index]?.[t]) - meanKl),
    ),
  )
  return { advantages, meanKl }
}
