/** Two rewards of one group are the same when they differ by less than this share of the largest magnitude. */
const flatTolerance = 1e-9

/** What a group's rewards look like once members that do not count are left out. Every number is finite. */
export interface GroupStatistics {
  /** Members with a finite reward. */
  readonly counted: number
  /** Members whose reward was NaN or infinite; a defect of a shaper, left out like a fault. */
  readonly nonFinite: number
  /** In reward units; null when nothing counts. */
  readonly mean: number | null
  /** Standard deviations, ÷ counted and ÷ (counted − 1), in reward units; exactly 0 when flat. */
  readonly populationDeviation: number
  readonly sampleDeviation: number
  /** True when all counted rewards are equal up to rounding, so that the group carries no gradient. */
  readonly flat: boolean
}

/**
 * Mean and spread of one group, computed in two passes and scaled, so that neither rounding nor size gives a flat group
 * a spread and no square overflows. Flatness is decided for the group as a whole, by tolerance relative to its largest
 * magnitude.
 *
 * @param rewards - shape [G], in reward units; null = the member does not count (fault, unscored, cancelled).
 */
export function groupStatistics(rewards: readonly (number | null)[]): GroupStatistics {
  const finite = rewards.filter((reward): reward is number => reward !== null && Number.isFinite(reward))
  const counted = finite.length
  const nonFinite = rewards.filter((reward) => reward !== null && !Number.isFinite(reward)).length
  const scale = finite.reduce((largest, reward) => Math.max(largest, Math.abs(reward)), 0)
  const none = { populationDeviation: 0, sampleDeviation: 0, flat: true }
  if (scale === 0) return { counted, nonFinite, mean: counted === 0 ? null : 0, ...none }
  const scaled = finite.map((reward) => reward / scale)
  const mean = meanOf(scaled)
  const [least, most] = [scaled.reduce((a, b) => Math.min(a, b)), scaled.reduce((a, b) => Math.max(a, b))]
  if (most - least <= flatTolerance) return { counted, nonFinite, mean: mean * scale, ...none }
  const squares = scaled.reduce((total, value) => total + (value - mean) ** 2, 0)
  const deviation = (degrees: number) => Math.min(Math.sqrt(squares / degrees) * scale, Number.MAX_VALUE)
  return {
    counted,
    nonFinite,
    mean: mean * scale,
    populationDeviation: deviation(counted),
    sampleDeviation: deviation(counted - 1),
    flat: false,
  }
}

/** Mean with the rounding error of the first pass taken back in a second one. */
function meanOf(values: readonly number[]): number {
  const first = values.reduce((total, value) => total + value, 0) / values.length
  return first + values.reduce((total, value) => total + (value - first), 0) / values.length
}
