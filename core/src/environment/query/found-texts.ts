import type Database from 'better-sqlite3'
import { textOf } from '../sqlite/cast-text.ts'
import type { SqliteValue } from '../sqlite/cell.ts'
import type { FunctionWatch } from '../sqlite/frozen-functions.ts'
import { placeOf } from '../sqlite/text-search.ts'

/** Characters as SQLite counts them: a pair of surrogates is one. */
function characters(text: string): number {
  let pairs = 0
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) pairs++
  return text.length - pairs
}

/** As instr() answers: counted from 1, in bytes between blobs and in characters otherwise; 0 for what is not found. */
function placeOfValue(value: SqliteValue, sought: SqliteValue): number | null {
  if (value === null || sought === null) return null
  if (Buffer.isBuffer(value) && Buffer.isBuffer(sought))
    return placeOf(value.toString('latin1'), sought.toString('latin1')) + 1
  const text = textOf(value)
  const place = placeOf(text, textOf(sought))
  return place < 0 ? 0 : characters(text.slice(0, place)) + 1
}

/** SQLite's instr() in linear time: its own tries each place of a text in turn, which takes the square of its length. */
export function boundFoundTexts(database: Database.Database, watch: FunctionWatch): void {
  database.function('instr', { deterministic: true, safeIntegers: true }, (value: SqliteValue, sought: SqliteValue) => {
    watch.look()
    const place = placeOfValue(value, sought)
    return place === null ? null : BigInt(place)
  })
}
