import { RlenvError } from '../../errors/rlenv-error.ts'
import { type GroupStatistics, groupStatistics } from './group-statistics.ts'

/** What a reward is compared with: the mean of its group, or the mean of its peers without itself. */
export type AdvantageBaseline = 'mean' | 'leave-one-out'

/** Whose standard deviation a centred reward is divided by: its group's, the whole batch's, or nobody's. */
export type RewardScale = 'group' | 'batch' | 'none'

export interface AdvantageOptions {
  /** Default "mean". */
  readonly baseline?: AdvantageBaseline
  /** Default "group". */
  readonly scaleRewards?: RewardScale
  /** Which standard deviation: ÷ G as DeepSeekMath, or ÷ (G − 1) as most trainers. Default "population". */
  readonly deviation?: 'population' | 'sample'
  /** Added to the standard deviation, in reward units. Default 1e-6. */
  readonly epsilon?: number
  /** Fewest members a group must have been rolled out with, counted or not. Default 0. */
  readonly minGroupSize?: number
}

/**
 * Advantages of one group: {@link batchAdvantages} of a batch of one.
 *
 * @param rewards - shape [G], in reward units; null, NaN and infinities are members that do not count.
 * @returns shape [G], same order; null where the member does not count.
 * @throws {RlenvError} RLENV_GROUP_TOO_SMALL when G < `minGroupSize`.
 */
export function groupAdvantages(
  rewards: readonly (number | null)[],
  options: AdvantageOptions = {},
): (number | null)[] {
  return batchAdvantages([rewards], options)[0] ?? []
}

/**
 * Group-relative advantages: each reward minus its group's baseline, over a standard deviation.
 *
 * @param groups - per group its rewards, shape [G], in reward units; null, NaN and infinities are members that do not
 *   count: they enter neither mean nor deviation nor count.
 * @returns in the same order; null where the member does not count; all zeros in a group that is flat up to rounding or
 *   has a single counted member, so that it carries no gradient. A group's counted advantages sum to 0 and are finite.
 * @throws {RlenvError} RLENV_GROUP_TOO_SMALL when a group has fewer members than `minGroupSize`.
 * @see DeepSeekMath, arXiv:2402.03300, section 4.1 (population deviation of the group); RLOO, arXiv:2402.14740 (leave
 *   one out); Dr. GRPO, arXiv:2503.20783, section 3 (no scale); Lite PPO, arXiv:2508.08221 (scale of the batch).
 */
export function batchAdvantages(
  groups: readonly (readonly (number | null)[])[],
  { baseline = 'mean', scaleRewards = 'group', deviation = 'population', ...rest }: AdvantageOptions = {},
): (number | null)[][] {
  const { epsilon = 1e-6, minGroupSize = 0 } = rest
  const small = groups.find(({ length }) => length < minGroupSize)
  if (small) throw groupTooSmall(small.length, minGroupSize)
  const spreadOf = deviation === 'sample' ? 'sampleDeviation' : 'populationDeviation'
  const ofBatch = scaleRewards === 'batch' ? groupStatistics(groups.flat())[spreadOf] : null
  return groups.map((rewards) => {
    // Scaled rewards are counted in units of the largest one, so that neither tiny nor huge ones lose their spread.
    const unit = scaleRewards === 'none' ? 1 : largestMagnitude(rewards)
    const inUnits = rewards.map((reward) => (reward === null ? null : reward / unit))
    const statistics = groupStatistics(inUnits)
    const spread = ofBatch === null ? statistics[spreadOf] : ofBatch / unit
    const divisor = scaleRewards === 'none' ? 1 : spread + epsilon / unit
    const { counted } = statistics
    const factor = baseline === 'leave-one-out' && counted > 1 ? counted / (counted - 1) : 1
    return inUnits.map((reward) => advantageOf(reward, statistics, divisor, factor))
  })
}

function advantageOf(
  reward: number | null,
  { mean, flat }: GroupStatistics,
  divisor: number,
  factor: number,
): number | null {
  if (reward === null || mean === null || !Number.isFinite(reward)) return null
  if (flat || divisor === 0) return 0
  const advantage = ((reward - mean) / divisor) * factor
  return Math.min(Math.max(advantage, -Number.MAX_VALUE), Number.MAX_VALUE)
}

/** Of the finite rewards; 1 when all are 0. */
function largestMagnitude(rewards: readonly (number | null)[]): number {
  const finite = rewards.filter((reward) => reward !== null && Number.isFinite(reward))
  return finite.reduce<number>((largest, reward) => Math.max(largest, Math.abs(reward ?? 0)), 0) || 1
}

/** A group of one has no baseline; says so instead of failing on a division. */
export function groupTooSmall(size: number, minGroupSize: number): RlenvError {
  const members = size === 1 ? '1 rollout' : `${size} rollouts`
  return new RlenvError(
    `a group of ${members} has no baseline: advantages compare at least ${minGroupSize} rollouts of one draw`,
    { code: 'RLENV_GROUP_TOO_SMALL', fix: `Set training.rolloutsPerTask to ${minGroupSize} or more.` },
  )
}
