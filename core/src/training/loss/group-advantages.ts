import { RlenvError } from '../../errors/rlenv-error.ts'
import { groupStatistics } from './group-statistics.ts'

/**
 * What a centred reward is divided by: the group's population standard deviation (÷ G, as DeepSeekMath), its sample
 * standard deviation (÷ G − 1, as most trainers), or nothing (Dr. GRPO).
 */
export type AdvantageNormalization = 'std-population' | 'std-sample' | 'none'

export interface GroupAdvantageOptions {
  readonly normalize: AdvantageNormalization
  /** Added to the standard deviation, in reward units. Default 1e-6. */
  readonly epsilon?: number
  /** Fewest members a group must have been rolled out with, counted or not. Default 0. */
  readonly minGroupSize?: number
}

/**
 * Group-relative advantages: each reward minus its group's mean, over the group's standard deviation.
 *
 * @param rewards - shape [G], in reward units; null, NaN and infinities are members that do not count: they enter
 *   neither mean nor deviation nor count.
 * @returns shape [G], same order; null where the member does not count; all zeros when the group is flat up to rounding
 *   or has a single counted member, so that it carries no gradient. Counted advantages sum to 0.
 * @throws {RlenvError} RLENV_GROUP_TOO_SMALL when G < `minGroupSize`.
 * @see DeepSeekMath, arXiv:2402.03300, section 4.1 (population deviation); Dr. GRPO, arXiv:2503.20783, section 3.
 */
export function groupAdvantages(
  rewards: readonly (number | null)[],
  { normalize, epsilon = 1e-6, minGroupSize = 0 }: GroupAdvantageOptions,
): (number | null)[] {
  if (rewards.length < minGroupSize) throw groupTooSmall(rewards.length, minGroupSize)
  const { counted, mean, squares, flat } = groupStatistics(rewards)
  const divisor = divisorOf(normalize, squares, counted, epsilon)
  return rewards.map((reward) => {
    if (reward === null || mean === null || !Number.isFinite(reward)) return null
    return flat || divisor === 0 ? 0 : (reward - mean) / divisor
  })
}

function divisorOf(normalize: AdvantageNormalization, squares: number, counted: number, epsilon: number): number {
  if (normalize === 'none') return 1
  const degrees = normalize === 'std-sample' ? counted - 1 : counted
  return degrees < 1 ? 0 : Math.sqrt(squares / degrees) + epsilon
}

/** A group of one has no baseline; says so instead of failing on a division. */
export function groupTooSmall(size: number, minGroupSize: number): RlenvError {
  const members = size === 1 ? '1 rollout' : `${size} rollouts`
  return new RlenvError(
    `a group of ${members} has no baseline: advantages compare at least ${minGroupSize} rollouts of one draw`,
    { code: 'RLENV_GROUP_TOO_SMALL', fix: `Set training.rolloutsPerTask to ${minGroupSize} or more.` },
  )
}
