import { RandomStream } from '../determinism/random-stream.ts'
import { clusterDifferenceInterval } from './cluster-bootstrap.ts'
import type { Estimate, EvaluationReport, EvaluationSummary } from './evaluation-report.ts'
import { clusterOf } from './summarize-rollouts.ts'

/** How success changed between two evaluations of the same tasks, with an interval paired by environment. */
export function successChange(before: EvaluationSummary, after: EvaluationSummary, confidence: number): Estimate {
  if (before.pass1.value === null || after.pass1.value === null) return { value: null, low: null, high: null }
  const earlier = new Map(before.byEnvironment.map((line) => [line.name, line]))
  const pairs = after.byEnvironment.flatMap((line) => {
    const match = earlier.get(line.name)
    return match ? [{ before: clusterOf(match), after: clusterOf(line) }] : []
  })
  const random = RandomStream.of(0, 'bootstrap', 'difference')
  const interval = clusterDifferenceInterval(pairs, { confidence, random })
  return {
    value: after.pass1.value - before.pass1.value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  }
}

/**
 * An evaluation as text for a terminal; with an earlier one of the same tasks, as columns before, after and change.
 * Success in percent; brackets are intervals clustered by environment.
 */
export function evaluationTable(report: EvaluationReport, before: EvaluationReport | null = null): string {
  const columns = before ? [before, report] : [report]
  const head = ['', ...(before ? ['before', 'after', 'change'] : ['value'])]
  const ways = [
    { name: 'sampled', of: ({ sampled }: EvaluationReport) => sampled },
    { name: 'greedy', of: ({ greedy }: EvaluationReport) => greedy },
  ]
  const lines = ways.flatMap(({ name, of }) => {
    const summaries = columns.map(of)
    return summaries.every((summary) => summary !== null) ? summaryLines(name, summaries, report.confidence) : []
  })
  const about =
    `${report.tasks} tasks in ${report.environments} environments, ${report.sampled.rolloutsPerTask} rollouts per task; ` +
    `intervals of ${Number((report.confidence * 100).toFixed(2))} % clustered by environment`
  return `${alignColumns([head, ...lines])}\n${about}\n`
}

/** Success by kind of task and by environment, one line each. */
export function breakdownTable({ sampled }: EvaluationReport): string {
  const lines = (title: string, rows: EvaluationSummary['byKind']) => [
    [title, 'success', 'reward', 'tasks', 'failed'],
    ...rows.map((line) => [
      line.name,
      percent(line.pass1),
      decimal(line.meanReward),
      String(line.tasks),
      String(line.failed),
    ]),
  ]
  const kinds = alignColumns(lines('kind', sampled.byKind))
  return `${kinds}\n\n${alignColumns(lines('environment', sampled.byEnvironment))}\n`
}

function summaryLines(name: string, summaries: readonly EvaluationSummary[], confidence: number): string[][] {
  const [first, last] = [summaries[0], summaries.at(-1)]
  if (!first || !last) return []
  const change = summaries.length > 1 ? [signed(successChange(first, last, confidence))] : []
  const lines = [[`success, ${name}`, ...summaries.map(({ pass1 }) => estimate(pass1)), ...change]]
  for (const { k } of last.pass.filter((entry) => entry.k > 1)) {
    const of = (summary: EvaluationSummary) => summary.pass.find((entry) => entry.k === k)
    lines.push([`pass@${k}`, ...summaries.map((summary) => percent(of(summary)?.passAtK ?? null))])
    lines.push([`pass^${k}`, ...summaries.map((summary) => percent(of(summary)?.passHatK ?? null))])
  }
  lines.push([`reward, ${name}`, ...summaries.map(({ meanReward }) => decimal(meanReward))])
  const failures = summaries.map(({ errorRate, unscoredRate }) => `${percent(errorRate)} / ${percent(unscoredRate)}`)
  lines.push([`faults / unscored, ${name}`, ...failures])
  for (const stop of [...new Set(summaries.flatMap(({ stopReasons }) => Object.keys(stopReasons)))].sort()) {
    lines.push([`stopped ${stop}, ${name}`, ...summaries.map(({ stopReasons }) => String(stopReasons[stop] ?? 0))])
  }
  return lines
}

const percent = (share: number | null) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)
const decimal = (value: number | null) => (value === null ? '–' : value.toFixed(3))

function estimate({ value, low, high }: Estimate): string {
  if (low === null || high === null) return percent(value)
  return `${percent(value)} [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`
}

function signed({ value, low, high }: Estimate): string {
  const points = (share: number) => `${share < 0 ? '-' : '+'}${Math.abs(share * 100).toFixed(1)}`
  if (value === null) return '–'
  return low === null || high === null ? points(value) : `${points(value)} [${points(low)}, ${points(high)}]`
}

function alignColumns(lines: readonly (readonly string[])[]): string {
  const columns = Math.max(...lines.map(({ length }) => length))
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
