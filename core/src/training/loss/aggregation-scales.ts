import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Aggregation, TrainingSample } from '../../vocabulary/training-sample.ts'

export interface AggregationOptions {
  /** Constant sequence length, in actions, that `dr-grpo` divides by; required for it. */
  readonly drGrpoLength?: number
}

/** Number of actions of a sample that are trained. */
export function trainedActions(sample: Pick<TrainingSample, 'mask'>): number {
  let trained = 0
  for (const bit of sample.mask) trained += bit
  return trained
}

/**
 * Factors that fold masking and averaging over ONE optimiser step into a plain sum, Σ scale · term. Because they are
 * fixed for the whole step, cutting it into microbatches of any size leaves loss and gradient unchanged.
 *
 * With S sequences that train at least one action, sequence s training n_s of them:
 * - `token-mean`: 1 / Σ n_s. Long sequences weigh more.
 * - `sequence-mean`: 1 / (S · n_s). Every sequence weighs the same.
 * - `dr-grpo`: 1 / (S · L), L constant. No length normalisation at all.
 *
 * @returns per sample an array of shape [T], 0 where masked. All zeros when nothing is trained: skip such a step.
 * @throws {RlenvError} RLENV_CONFIG_INVALID when `dr-grpo` has no constant length.
 * @see DAPO, arXiv:2503.14476, section 3.3 (token-mean); Dr. GRPO, arXiv:2503.20783, section 3.1.
 */
export function aggregationScales(
  samples: readonly Pick<TrainingSample, 'mask'>[],
  aggregation: Aggregation,
  { drGrpoLength }: AggregationOptions = {},
): Float64Array[] {
  const counts = samples.map(trainedActions)
  const actions = counts.reduce((total, count) => total + count, 0)
  const sequences = counts.filter((count) => count > 0).length
  const factor = factorOf(aggregation, actions, sequences, drGrpoLength)
  return samples.map(({ mask }, index) => {
    const count = counts[index] ?? 0
    return count === 0 ? new Float64Array(mask.length) : Float64Array.from(mask, (bit) => bit * factor(count))
  })
}

function factorOf(
  aggregation: Aggregation,
  actions: number,
  sequences: number,
  drGrpoLength: number | undefined,
): (count: number) => number {
  if (aggregation === 'token-mean') return () => 1 / actions
  if (aggregation === 'sequence-mean') return (count) => 1 / (sequences * count)
  if (drGrpoLength === undefined || !(drGrpoLength > 0)) {
    throw new RlenvError(`the aggregation dr-grpo needs a constant length in actions, got ${String(drGrpoLength)}`, {
      code: 'RLENV_CONFIG_INVALID',
      fix: 'Set drGrpoLength to the most actions that a rollout may have.',
    })
  }
  return () => 1 / (sequences * drGrpoLength)
}
