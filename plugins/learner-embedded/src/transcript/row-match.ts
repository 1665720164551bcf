import type { TaskText } from '../text/task-text.ts'
import type { ObservedRow } from './observation.ts'

/** How a row meets the task text. */
export interface RowMatch {
  readonly spans: readonly number[]
  /** 2 per cell that a span or words of the active goal name, 1 per cell that other words name. */
  readonly hits: number
  /** Bit per goal whose spans stand in it. */
  readonly goals: number
}

/**
 * Compares the cells of a row with spans and words of the text. Ids are nothing that a user would say.
 *
 * @param signatures - shape [columns]: −1 where the column is no id.
 */
export function matchRow(row: ObservedRow, signatures: Int32Array, text: TaskText, activeGoal: number): RowMatch {
  const spans: number[] = []
  let hits = 0
  let goals = 0
  for (let column = 0; column < row.keys.length; column++) {
    const cell = row.cells[column]
    if (cell === null || cell === undefined || typeof cell === 'boolean') continue
    if ((signatures[column] as number) >= 0) continue
    const key = typeof cell === 'string' ? cell.toLowerCase() : String(cell)
    const found = namedSpans(text, key)
    for (const span of found) {
      spans.push(span)
      goals |= 1 << (text.spans[span]?.goal ?? 0)
    }
    hits += weightOf(found, key, text, activeGoal)
  }
  return { spans, hits, goals }
}

const nothing: readonly number[] = []

function namedSpans(text: TaskText, key: string): readonly number[] {
  const found = text.spansByKey.get(key)
  return found === undefined ? nothing : found.filter((span) => text.spans[span]?.kind !== 'word')
}

function weightOf(spans: readonly number[], key: string, text: TaskText, activeGoal: number): number {
  if (spans.some((span) => text.spans[span]?.goal === activeGoal)) return 2
  if (text.goals[activeGoal]?.grams.has(key.includes('_') ? key.replaceAll('_', ' ') : key) === true) return 2
  return spans.length > 0 || text.grams.has(key) ? 1 : 0
}

/** Per row: 0 the only one, 1 most hits alone, 2 tied for most, 3 fewer. */
export function relevanceOf(hits: readonly number[]): number[] {
  if (hits.length === 1) return [0]
  const most = hits.reduce((largest, count) => Math.max(largest, count), 0)
  const ties = hits.filter((count) => count === most).length
  return hits.map((count) => (count < most ? 3 : ties === 1 ? 1 : 2))
}
