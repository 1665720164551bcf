import {
  type AblationReport,
  type ArmReport,
  type MeasureName,
  measureNames,
  type OverRuns,
} from './ablation-report.ts'
import { type SuccessComparison, type SuccessName, successNames } from './compare-arms.ts'

/** Rows of text, the first one the head; what a terminal, a page and a Markdown file show. */
export type Rows = readonly (readonly string[])[]

const headings: Readonly<Record<MeasureName, string>> = {
  rollouts: 'rollouts generated',
  optimizerSteps: 'optimiser steps',
  steps: 'training steps',
  flatGenerated: 'flat groups generated',
  zeroAdvantage: 'samples without advantage',
  generatedPerUsed: 'generated per rollout with advantage',
  reward: 'reward per rollout generated',
  swapRate: 'groups with a stored rollout',
  stepTimeGrowth: 'step time, last third over first',
}

const shares: ReadonlySet<MeasureName> = new Set(['flatGenerated', 'zeroAdvantage', 'swapRate'])

/** Success of each arm and its difference from the first one. */
export function successRows(report: AblationReport): Rows {
  const asked = successNames.filter((name) => report.arms.some(({ success }) => success[name] !== null))
  const head = ['arm', 'runs', ...asked.flatMap((name) => [name, 'difference', 'effect'])]
  return [head, ...report.arms.map((arm) => successRow(arm, asked))]
}

function successRow({ arm, runs, success }: ArmReport, asked: readonly SuccessName[]): readonly string[] {
  const cells = asked.flatMap((name) => {
    const one = success[name]
    return one === null ? ['–', '–', '–'] : [meanText(one), differenceText(one.difference), effectText(one.difference)]
  })
  return [arm, String(runs), ...cells]
}

/** How training went in each arm. */
export function measureRows({ arms }: AblationReport): Rows {
  const asked = measureNames.filter((name) => arms.some(({ measures }) => measures[name].mean !== null))
  return [
    ['arm', ...asked.map((name) => headings[name])],
    ...arms.map(({ arm, measures }) => [arm, ...asked.map((name) => measureText(name, measures[name]))]),
  ]
}

/** What the numbers stand for, in a sentence. */
export function aboutText({ confidence, environments, tasks, runs, arms }: AblationReport): string {
  const [first] = arms
  return (
    `${runs.done} of ${runs.planned} runs; ${tasks} held-out tasks in ${environments} environments. ± is the standard ` +
    `deviation over seeds. Differences are from "${first?.arm ?? ''}", in points, task by task and seed by seed; brackets ` +
    `are intervals of ${Number((confidence * 100).toFixed(2))} % with environments and seeds drawn with replacement; the ` +
    "effect is Cohen's d over environments. Training tasks are drawn uniformly, whatever the sampler prefers."
  )
}

export function markdownTable([head = [], ...rows]: Rows): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function meanText({ mean, spread }: SuccessComparison): string {
  return spread === null ? percent(mean) : `${percent(mean)} ± ${(spread * 100).toFixed(1)}`
}

function differenceText(difference: SuccessComparison['difference']): string {
  if (difference === null) return ''
  const { mean, interval } = difference
  return interval === null ? points(mean) : `${points(mean)} [${points(interval.low)}, ${points(interval.high)}]`
}

function effectText(difference: SuccessComparison['difference']): string {
  return difference === null ? '' : (difference.effect?.toFixed(2) ?? '–')
}

function measureText(name: MeasureName, { mean, spread }: OverRuns): string {
  if (mean === null) return '–'
  const shown = (value: number) => (shares.has(name) ? percent(value) : value.toFixed(mean >= 100 ? 0 : 2))
  return spread === null || spread === 0 ? shown(mean) : `${shown(mean)} ± ${shown(spread)}`
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const points = (share: number) => `${share < 0 ? '-' : '+'}${Math.abs(share * 100).toFixed(1)}`
