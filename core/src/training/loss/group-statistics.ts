/** Two rewards of one group are the same when they differ by less than this share of the largest magnitude. */
const flatTolerance = 1e-9

/** What a group's rewards look like once members that do not count are left out. */
export interface GroupStatistics {
  /** Members with a finite reward. */
  readonly counted: number
  /** Members whose reward was NaN or infinite; a defect of a shaper, left out like a fault. */
  readonly nonFinite: number
  /** In reward units; null when nothing counts. */
  readonly mean: number | null
  /** Σ (reward − mean)², in squared reward units; exactly 0 when flat. */
  readonly squares: number
  /** True when all counted rewards are equal up to rounding, so that the group carries no gradient. */
  readonly flat: boolean
}

/**
 * Mean and spread of one group, computed in two passes and scaled, so that neither rounding nor size gives a flat group
 * a spread. Flatness is decided for the group as a whole, by tolerance relative to its largest magnitude.
 *
 * @param rewards - shape [G], in reward units; null = the member does not count (fault, unscored, cancelled).
 */
export function groupStatistics(rewards: readonly (number | null)[]): GroupStatistics {
  const counted = rewards.filter((reward): reward is number => reward !== null && Number.isFinite(reward))
  const nonFinite = rewards.filter((reward) => reward !== null && !Number.isFinite(reward)).length
  if (counted.length === 0) return { counted: 0, nonFinite, mean: null, squares: 0, flat: true }
  const scale = Math.max(...counted.map(Math.abs))
  if (scale === 0) return { counted: counted.length, nonFinite, mean: 0, squares: 0, flat: true }
  const scaled = counted.map((reward) => reward / scale)
  const mean = meanOf(scaled)
  const flat = Math.max(...scaled) - Math.min(...scaled) <= flatTolerance
  const squares = flat ? 0 : scaled.reduce((total, value) => total + (value - mean) ** 2, 0) * scale * scale
  return { counted: counted.length, nonFinite, mean: mean * scale, squares, flat }
}

/** Mean with the rounding error of the first pass taken back in a second one. */
function meanOf(values: readonly number[]): number {
  const first = values.reduce((total, value) => total + value, 0) / values.length
  return first + values.reduce((total, value) => total + (value - first), 0) / values.length
}
