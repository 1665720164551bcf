import { RandomStream } from '../determinism/random-stream.ts'
import type { EvaluationReport, EvaluationRow } from '../evaluation/evaluation-report.ts'
import type { ExperimentResult } from './experiment-result.ts'
import { crossedInterval, type Interval, meanOfCells } from './paired-bootstrap.ts'

/** What is compared: which evaluation and which way of sampling. */
export const successNames = ['held-out sampled', 'held-out greedy', 'training tasks sampled'] as const
export type SuccessName = (typeof successNames)[number]

/** One arm's success, and what it gained over the first arm. */
export interface SuccessComparison {
  /** Mean over seeds and tasks, 0 to 1. */
  readonly mean: number
  /** Standard deviation over seeds; null with one seed. */
  readonly spread: number | null
  /** Against the first arm; null for the first arm itself. */
  readonly difference: {
    /** In share of tasks. */
    readonly mean: number
    /** Environments and seeds drawn with replacement, tasks paired; null with fewer than two environments. */
    readonly interval: Interval | null
    /** Mean difference over the standard deviation of differences between environments (Cohen's d of paired data). */
    readonly effect: number | null
    /** Smallest difference that an interval of this width would tell from none; null where there is no interval. */
    readonly detectable: number | null
  } | null
}

export interface ArmComparison {
  readonly arm: string
  readonly runs: number
  readonly success: Readonly<Record<SuccessName, SuccessComparison | null>>
}

export interface CompareOptions {
  /** Coverage of the intervals, 0 to 1. */
  readonly confidence: number
  readonly seed: number
}

/** Every arm, in order, against the first one. Only seeds that both arms have finished are paired. */
export function compareArms(
  arms: readonly string[],
  results: readonly ExperimentResult[],
  options: CompareOptions,
): readonly ArmComparison[] {
  const [first = ''] = arms
  return arms.map((arm) => {
    const own = results.filter((result) => result.arm === arm)
    const base = results.filter((result) => result.arm === first)
    const compared = successNames.map((name) => [name, comparison(name, own, arm === first ? null : base, options)])
    return { arm, runs: own.length, success: Object.fromEntries(compared) }
  })
}

function comparison(
  name: SuccessName,
  own: readonly ExperimentResult[],
  base: readonly ExperimentResult[] | null,
  options: CompareOptions,
): SuccessComparison | null {
  const values = own.flatMap((result) => successOf(name, result) ?? [])
  if (values.length === 0) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    mean,
    spread: spreadOf(values, mean),
    difference: base === null ? null : difference(name, own, base, options),
  }
}

function difference(
  name: SuccessName,
  own: readonly ExperimentResult[],
  base: readonly ExperimentResult[],
  { confidence, seed }: CompareOptions,
): SuccessComparison['difference'] {
  const pairs = own.flatMap((result) => {
    const other = base.find(({ replicate }) => replicate === result.replicate)
    return other === undefined ? [] : [cellsOf(rowsOf(name, result), rowsOf(name, other))]
  })
  const environments = [...new Set(pairs.flatMap((cells) => [...cells.keys()]))].sort()
  if (environments.length === 0) return null
  const random = RandomStream.of(seed, 'ablation', 'bootstrap', name)
  const interval = crossedInterval(pairs, environments, { confidence, random })
  const byEnvironment = environments.flatMap((environment) => meanOfCells(pairs, [environment]) ?? [])
  const mean = meanOfCells(pairs, environments) ?? 0
  const spread = spreadOf(byEnvironment, byEnvironment.reduce((sum, value) => sum + value, 0) / byEnvironment.length)
  return {
    mean,
    interval,
    effect: spread === null || spread === 0 ? null : mean / spread,
    detectable: interval === null ? null : (interval.high - interval.low) / 2,
  }
}

/** Difference of passed tasks, and how many there are, per environment. */
function cellsOf(own: readonly EvaluationRow[], base: readonly EvaluationRow[]) {
  const others = new Map(base.map((row) => [row.name, row]))
  return new Map(
    own.flatMap((row) => {
      const other = others.get(row.name)
      if (other === undefined || row.pass1 === null || other.pass1 === null) return []
      return [[row.name, { sum: (row.pass1 - other.pass1) * row.tasks, count: row.tasks }] as const]
    }),
  )
}

function summaryOf(name: SuccessName, { heldOut, training }: ExperimentResult): EvaluationReport['greedy'] {
  if (name === 'held-out sampled') return heldOut.sampled
  if (name === 'held-out greedy') return heldOut.greedy
  return training?.sampled ?? null
}

const successOf = (name: SuccessName, result: ExperimentResult) => summaryOf(name, result)?.pass1.value ?? null
const rowsOf = (name: SuccessName, result: ExperimentResult) => summaryOf(name, result)?.byEnvironment ?? []

/** Sample standard deviation; null with fewer than two values. */
function spreadOf(values: readonly number[], mean: number): number | null {
  if (values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}
