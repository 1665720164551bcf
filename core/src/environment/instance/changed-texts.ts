import { type SqliteRow, textLength } from '../sqlite/cell.ts'
import { selfOverlap } from '../sqlite/text-repetition.ts'

/** A row in the initial state and now. */
export interface ComparedRow {
  readonly base: SqliteRow | undefined
  readonly now: SqliteRow | undefined
}

/** How long the texts are that one instance has made longer, in UTF-16 units. */
export class ChangedTexts {
  readonly #gains: Map<number, number>
  #gained: number
  #longest: number

  /** @param start - another instance's, to begin with a copy of. */
  constructor(start?: ChangedTexts) {
    this.#gains = new Map(start === undefined ? [] : start.#gains)
    this.#gained = start?.gained ?? 0
    this.#longest = start?.longest ?? 0
  }

  /** By how much the texts of all changed rows are longer than in the initial state; rows that lost some do not make up for it. */
  get gained(): number {
    return this.#gained
  }

  /** The longest text that became longer has at most so many; it may be gone. */
  get longest(): number {
    return this.#longest
  }

  /** By how much the texts of a row are longer than in the initial state; 0 when they are not. */
  gainOf(base: SqliteRow | undefined, now: SqliteRow | undefined): number {
    if (now === undefined) return 0
    let gain = 0
    for (let at = 0; at < now.length; at++) {
      const [length, before] = [textLength(now[at]), textLength(base?.[at])]
      gain += length - before
      if (length > this.#longest && length > before) this.#longest = length
    }
    return Math.max(0, gain)
  }

  /** To be told by how much more the rows of a table have gained. */
  add(table: number, gain: number): void {
    if (gain === 0) return
    this.#gains.set(table, (this.#gains.get(table) ?? 0) + gain)
    this.#gained += gain
  }

  /** To be told what all rows of a table have gained. */
  set(table: number, gain: number): void {
    this.add(table, gain - (this.#gains.get(table) ?? 0))
  }
}

/** By column, the bytes of the longest text that rows have now and that is longer than it was; 0 where none is. */
export function longestNow(rows: Iterable<ComparedRow>): readonly number[] {
  const longest: number[] = []
  for (const { base, now } of rows)
    now?.forEach((value, at) => {
      if (textLength(value) <= textLength(base?.[at])) return
      const bytes = typeof value === 'string' ? Buffer.byteLength(value) : textLength(value)
      longest[at] = Math.max(longest[at] ?? 0, bytes)
    })
  return longest
}

/** By column, how much a row's texts repeat themselves, as far as that was asked for. */
const overlaps = new WeakMap<SqliteRow, Map<number, number>>()

function overlapAt(row: SqliteRow, column: number): number {
  const value = row[column]
  if (typeof value !== 'string') return 0
  const known = overlaps.get(row) ?? new Map<number, number>()
  overlaps.set(row, known)
  const overlap = known.get(column) ?? selfOverlap(value)
  known.set(column, overlap)
  return overlap
}

/** The most that a text which rows have now in a column repeats itself, see `selfOverlap`. */
export function mostOverlapNow(rows: Iterable<ComparedRow>, column: number): number {
  let most = 0
  for (const { now } of rows) if (now !== undefined) most = Math.max(most, overlapAt(now, column))
  return most
}
