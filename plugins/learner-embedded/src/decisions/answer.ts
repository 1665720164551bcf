import { identifierWords } from '../text/identifier-words.ts'
import { stemHash } from '../text/stem.ts'
import { callResults, type Episode, type SeenRow } from '../transcript/episode.ts'
import type { Scalar } from '../transcript/observation.ts'
import { isIdName } from '../transcript/parameter-view.ts'
import { mix, mixUnordered } from '../weights/feature-hash.ts'
import { type CandidateBuffer, pack } from './candidate-buffer.ts'
import { answerFeatures as feature, lexicalFeatures } from './feature-ids.ts'

/** What is said when there is nothing to answer. */
const nothingToSay = 'Done.'
/** Calls and rows that an answer may come from, newest first. */
const callLimit = 3
const rowLimit = 6

/** Candidates: no answer, how many rows each of the last calls returned, and cells of the best rows of these calls. */
export function proposeAnswers(buffer: CandidateBuffer, episode: Episode): string[] {
  const question = episode.view.text.question ? 1 : 0
  const answers = [nothingToSay]
  buffer.reset()
  buffer.open()
  buffer.relational(feature.kind, pack(0, question, Math.min(2, episode.writes)))
  if (question === 0) return answers
  proposeCounts(buffer, episode, answers)
  proposeCells(buffer, episode, answers)
  return answers
}

function proposeCounts(buffer: CandidateBuffer, episode: Episode, answers: string[]): void {
  const counted = recentReads(episode)
  for (const [recency, call] of counted.entries()) {
    const rows = episode.rows.filter((row) => row.call === call).length
    const tool = episode.view.catalogue.tools[episode.calls[call]?.tool ?? -1]
    buffer.open()
    buffer.relational(feature.kind, pack(1, 1, Math.min(2, episode.writes)))
    buffer.relational(feature.recency, pack(1, recency))
    buffer.relational(feature.count, pack(Math.min(3, rows), tool?.lookUp === true ? 1 : 0, recency))
    describeQuestion(buffer, episode, tool?.nouns ?? [], 1)
    buffer.lexical(lexicalFeatures.answerKey, 1)
    for (const word of questionWords(episode)) buffer.lexical(lexicalFeatures.answerKey, mix(word, 1))
    answers.push(String(rows))
  }
}

function recentReads(episode: Episode): number[] {
  const reads: number[] = []
  for (let call = episode.calls.length - 1; call >= 0 && reads.length < callLimit; call--) {
    const result = episode.calls[call]?.result
    if (result === callResults.rows || result === callResults.empty) reads.push(call)
  }
  return reads
}

function proposeCells(buffer: CandidateBuffer, episode: Episode, answers: string[]): void {
  const known = new Set<string>()
  for (const [recency, row] of bestRows(episode).entries()) {
    for (const [column, key] of row.keys.entries()) {
      const cell = row.cells[column] ?? null
      const code = `${key} ${String(cell)}`
      if (cell === null || isIdName(key) || known.has(code)) continue
      known.add(code)
      buffer.open()
      describeCell(buffer, episode, row, key, cell, recency)
      answers.push(String(cell))
    }
  }
}

/** Rows of recent calls that are alone or tie for the best match, newest first. */
function bestRows(episode: Episode): SeenRow[] {
  const oldest = recentReads(episode).at(-1) ?? 0
  return episode.rows
    .filter((row) => row.call >= oldest && row.relevance < 3)
    .toReversed()
    .slice(0, rowLimit)
}

function describeCell(
  buffer: CandidateBuffer,
  episode: Episode,
  row: SeenRow,
  key: string,
  cell: Scalar,
  recency: number,
): void {
  const { text } = episode.view
  const stems = identifierWords(key).map(stemHash)
  const said = text.grams.has(String(cell).toLowerCase()) || text.spansByKey.has(String(cell).toLowerCase())
  const ago = Math.min(3, episode.calls.length - 1 - row.call)
  const shared = stems.filter((stem) => text.goals.some((goal) => goal.question && goal.stems.has(stem))).length
  buffer.relational(feature.kind, pack(2, 1, Math.min(2, episode.writes)))
  buffer.relational(feature.recency, pack(2, Math.min(6, recency), ago))
  buffer.relational(feature.relevance, pack(row.relevance, ago, Math.min(3, row.hits)))
  const active = (row.goals & (1 << episode.activeGoal)) === 0 ? 0 : 1
  buffer.relational(feature.goal, pack(active, row.relevance, Math.min(2, shared)))
  buffer.relational(feature.mentioned, pack(said ? 1 : 0, typeof cell === 'number' ? 1 : 0))
  buffer.relational(feature.keyOverlap, pack(Math.min(2, shared), ago === 0 ? 1 : 0, row.relevance))
  describeQuestion(buffer, episode, stems, 2)
  for (const stem of stems) {
    for (const word of questionWords(episode)) {
      buffer.lexical(lexicalFeatures.answerKey, mix(word, stem))
      buffer.lexical(lexicalFeatures.shared, mixUnordered(word, stem))
    }
  }
}

/**
 * Whether a row that an answer may come from has a column that the question asks for: 0 no such row, 1 rows without such a
 * column, 2 in an older row, 3 in a row of the latest call.
 */
export function answerInSight(episode: Episode): number {
  const words = questionWords(episode)
  let sight = 0
  const active = 1 << episode.activeGoal
  for (const row of bestRows(episode)) {
    if ((row.goals & active) === 0) continue
    const asked = row.keys.some(
      (key) => !isIdName(key) && identifierWords(key).some((word) => words.includes(stemHash(word))),
    )
    const level = asked ? (row.call === episode.calls.length - 1 ? 3 : 2) : 1
    if (level > sight) sight = level
  }
  return sight
}

function describeQuestion(buffer: CandidateBuffer, episode: Episode, stems: readonly number[], kind: number): void {
  const many = /\bhow many\b|\bnumber of\b|\bcount\b/i.test(episode.view.text.text) ? 1 : 0
  const shared = stems.some((stem) => episode.view.text.goals.some((goal) => goal.question && goal.stems.has(stem)))
  buffer.relational(feature.question, pack(kind, many, shared ? 1 : 0))
}

function questionWords(episode: Episode): number[] {
  return episode.view.text.goals.flatMap((goal) => (goal.question ? goal.words.map((word) => word.stem) : []))
}
