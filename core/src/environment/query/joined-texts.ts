import type Database from 'better-sqlite3'
import { textOf } from '../sqlite/cast-text.ts'
import type { SqliteValue } from '../sqlite/cell.ts'
import { type FunctionWatch, tooLong } from '../sqlite/frozen-functions.ts'

/** What rows have come to so far; null until the first value that is not NULL. */
type Joined = string | null

/** As the driver's types have it, which know of one argument only. */
type AggregateStep = (joined: Joined, value: string | null) => Joined

function join(joined: Joined, value: SqliteValue, separator: SqliteValue, longest: number): Joined {
  if (value === null) return joined
  const text = textOf(value)
  if (joined === null) return text
  const longer = joined + (separator === null ? '' : textOf(separator)) + text
  if (longer.length > longest) throw tooLong('joining texts', longer.length, longest)
  return longer
}

/** SQLite's own functions for this, bounded: theirs would join whatever a table holds, as often as rows are joined. */
export function boundJoinedTexts(database: Database.Database, watch: FunctionWatch): void {
  const start = (): Joined => null
  const separated = (joined: Joined, value: SqliteValue, separator: SqliteValue): Joined => {
    watch.look()
    return join(joined, value, separator, watch.longestText())
  }
  const step = (joined: Joined, value: SqliteValue): Joined => separated(joined, value, ',')
  database.aggregate('group_concat', { start, step, safeIntegers: true })
  for (const name of ['group_concat', 'string_agg'])
    database.aggregate(name, { start, step: separated as AggregateStep, safeIntegers: true })
}
