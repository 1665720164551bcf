import type Database from 'better-sqlite3'
import type { SqliteValue } from '../sqlite/cell.ts'
import { openSqlite } from '../sqlite/native-module.ts'

/** Longest text that is joined of many rows, in UTF-16 units. */
const longestJoined = 100_000

/** What rows have come to so far; null until the first value that is not NULL. */
type Joined = string | null

/** As the driver's types have it, which know of one argument only. */
type AggregateStep = (joined: Joined, value: string | null) => Joined

let cast: Database.Statement<[SqliteValue], string> | undefined

/** A value as the text that SQLite makes of it; asked of another connection, for this one is in the middle of a query. */
function textOf(value: SqliteValue): string {
  if (typeof value === 'string') return value
  cast ??= openSqlite(':memory:').prepare<[SqliteValue], string>('SELECT CAST(? AS TEXT)').pluck()
  return cast.get(value) ?? ''
}

function join(joined: Joined, value: SqliteValue, separator: SqliteValue): Joined {
  if (value === null) return joined
  const text = textOf(value)
  const longer = joined === null ? text : joined + (separator === null ? '' : textOf(separator)) + text
  if (longer.length <= longestJoined) return longer
  const message = `joining texts would make more than ${longestJoined} characters`
  throw Object.assign(new Error(message), { code: 'SQLITE_TOOBIG' })
}

/**
 * SQLite's own functions for this, bounded: theirs would join whatever a table holds, as often as rows are joined.
 *
 * @param look - called for each row that is joined.
 */
export function boundJoinedTexts(database: Database.Database, look: () => void): void {
  const start = (): Joined => null
  const separated = (joined: Joined, value: SqliteValue, separator: SqliteValue): Joined => {
    look()
    return join(joined, value, separator)
  }
  const step = (joined: Joined, value: SqliteValue): Joined => separated(joined, value, ',')
  database.aggregate('group_concat', { start, step, safeIntegers: true })
  for (const name of ['group_concat', 'string_agg'])
    database.aggregate(name, { start, step: separated as AggregateStep, safeIntegers: true })
}
