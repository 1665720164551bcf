import type { RandomStream } from '../determinism/random-stream.ts'

/** Sum of paired differences over the tasks of one environment in one run, and how many tasks that are. */
export interface Cell {
  readonly sum: number
  readonly count: number
}

/** Cells of one pair of runs, by environment. */
export type PairedRun = ReadonlyMap<string, Cell>

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Mean difference per task over these environments and all runs; null when there is none. */
export function meanOfCells(runs: readonly PairedRun[], environments: readonly string[]): number | null {
  let sum = 0
  let count = 0
  for (const run of runs) {
    for (const environment of environments) {
      const cell = run.get(environment)
      sum += cell?.sum ?? 0
      count += cell?.count ?? 0
    }
  }
  return count === 0 ? null : sum / count
}

/**
 * Percentile interval of the mean paired difference when environments and runs are both drawn with replacement: tasks of
 * one environment are alike, and so are the tasks of one run.
 *
 * @returns null with fewer than two environments.
 * @see Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1 (2007), for factors that cross.
 */
export function crossedInterval(
  runs: readonly PairedRun[],
  environments: readonly string[],
  { confidence, random, resamples = 2000 }: { confidence: number; random: RandomStream; resamples?: number },
): Interval | null {
  if (environments.length < 2 || runs.length === 0) return null
  const means: number[] = []
  for (let draw = 0; draw < resamples; draw++) {
    const drawnRuns = runs.map(() => random.pick(runs))
    const mean = meanOfCells(
      drawnRuns,
      environments.map(() => random.pick(environments)),
    )
    if (mean !== null) means.push(mean)
  }
  means.sort((a, b) => a - b)
  const tail = (1 - confidence) / 2
  return { low: quantile(means, tail), high: quantile(means, 1 - tail) }
}

/** Linear interpolation between order statistics. */
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low
  return low + (high - low) * (position - below)
}
