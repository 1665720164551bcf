import type { EvaluationReport } from '../evaluation/evaluation-report.ts'
import { evaluationTable } from '../evaluation/evaluation-table.ts'
import { type CurvePoint, learningCurveSvg } from '../evaluation/learning-curve-svg.ts'
import type { TrainingCounters } from './training-checkpoint.ts'

/** What a training run came to. */
export interface TrainingReport {
  readonly finishedSteps: number
  readonly policyVersion: number
  readonly counters: TrainingCounters
  /** Held-out success before the first and after the last step; null when nothing was held out. */
  readonly before: EvaluationReport | null
  readonly after: EvaluationReport | null
  readonly directory: string
}

/** Held-out success over the evaluations of a run. */
export function curveOf(reports: readonly EvaluationReport[]): readonly CurvePoint[] {
  return reports.map((report) => {
    return { step: report.step ?? 0, sampled: report.sampled.pass1, greedy: report.greedy?.pass1 ?? null }
  })
}

/** A page of its own with the curve and the table; holds no script and loads nothing. */
export function reportHtml(title: string, reports: readonly EvaluationReport[]): string {
  const [first, last] = [reports[0], reports.at(-1)]
  const table = first && last ? evaluationTable(last, first === last ? null : first) : 'Nothing was held out.'
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n` +
    '<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto}svg{max-width:100%;height:auto}</style>\n' +
    `<h1>${escapeHtml(title)}</h1>\n${learningCurveSvg(curveOf(reports))}<pre>${escapeHtml(table)}</pre>\n</html>\n`
  )
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
