import type { RandomStream } from '../determinism/random-stream.ts'

/** What one cluster adds to a ratio: Σ of the tasks' rates and their number. */
export interface Cluster {
  readonly sum: number
  readonly count: number
}

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface BootstrapOptions {
  /** Coverage, 0 to 1. */
  readonly confidence: number
  readonly random: RandomStream
  /** Default 2000. */
  readonly resamples?: number
}

/**
 * Percentile interval of Σ sum / Σ count when whole clusters are drawn with replacement. Tasks of one environment share
 * its tools and wording, so drawing tasks instead would give an interval that is too narrow.
 *
 * @returns null with fewer than two clusters: one environment says nothing about the next.
 * @see Field and Welsh, "Bootstrapping clustered data", JRSS B 69 (2007), section 2 (the cluster bootstrap).
 */
export function clusterInterval(clusters: readonly Cluster[], options: BootstrapOptions): Interval | null {
  return percentileInterval(clusters, options, (drawn) => ratio(drawn, (cluster) => cluster))
}

/**
 * The same for the difference of two ratios over the same clusters, after minus before. Pairing removes what makes one
 * environment easier than another.
 */
export function clusterDifferenceInterval(
  pairs: readonly { readonly before: Cluster; readonly after: Cluster }[],
  options: BootstrapOptions,
): Interval | null {
  return percentileInterval(
    pairs,
    options,
    (drawn) => ratio(drawn, ({ after }) => after) - ratio(drawn, ({ before }) => before),
  )
}

function percentileInterval<Item>(
  items: readonly Item[],
  { confidence, random, resamples = 2000 }: BootstrapOptions,
  statistic: (drawn: readonly Item[]) => number,
): Interval | null {
  if (items.length < 2) return null
  const values = new Float64Array(resamples)
  for (let i = 0; i < resamples; i++) values[i] = statistic(items.map(() => random.pick(items)))
  const sorted = values.filter(Number.isFinite).sort()
  if (sorted.length === 0) return null
  const tail = (1 - confidence) / 2
  return { low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) }
}

function ratio<Item>(drawn: readonly Item[], clusterOf: (item: Item) => Cluster): number {
  let sum = 0
  let count = 0
  for (const item of drawn) {
    const cluster = clusterOf(item)
    sum += cluster.sum
    count += cluster.count
  }
  return sum / count
}

/** Linear interpolation between order statistics. */
function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low
  return low + (high - low) * (position - below)
}
