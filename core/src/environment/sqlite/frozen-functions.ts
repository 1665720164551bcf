import type Database from 'better-sqlite3'
import type { SqliteValue } from './cell.ts'
import { openSqlite } from './native-module.ts'

/** Where a connection's `random()` comes from. */
export interface RandomSource {
  /** A signed 64-bit integer. */
  next(): bigint
}

/** Functions that answer "now" or need a time zone; all go through {@link calendar}. */
const clockFunctions = ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff'] as const

/** Built-ins that make memory or files out of nothing. */
const refusedFunctions = ['randomblob', 'zeroblob', 'printf', 'format', 'load_extension'] as const

let calendarDatabase: Database.Database | undefined
const calendarStatements = new Map<string, Database.Statement>()

/** SQLite's own date function, run on a connection of its own so that a connection may override it. */
function calendar(name: string, args: readonly SqliteValue[]): SqliteValue {
  const key = `${name}/${args.length}`
  let statement = calendarStatements.get(key)
  if (statement === undefined) {
    calendarDatabase ??= openSqlite(':memory:')
    statement = calendarDatabase
      .prepare(`SELECT ${name}(${args.map(() => '?').join(', ')})`)
      .pluck()
      .safeIntegers()
    calendarStatements.set(key, statement)
  }
  return statement.get(...args) as SqliteValue
}

/** The world's time zone is UTC, so a shift to or from local time is no shift. */
const isZoneModifier = (value: SqliteValue): boolean =>
  typeof value === 'string' && /^(localtime|utc)$/i.test(value.trim())

const isNow = (value: SqliteValue): boolean => typeof value === 'string' && value.trim().toLowerCase() === 'now'

/** Position of the first time value among the arguments; strftime's first argument is its format. */
function atFrozenTime(name: string, clock: string, args: readonly SqliteValue[]): SqliteValue {
  const first = name === 'strftime' ? 1 : 0
  const kept = args.filter((value, index) => index <= first || !isZoneModifier(value))
  const full = kept.length === first ? [...kept, clock] : kept
  return calendar(
    name,
    full.map((value, index) => (index >= first && isNow(value) ? clock : value)),
  )
}

/** Lets time stand still, draws `random()` from the given source, and closes the built-ins that a world must not have. */
export function freezeFunctions(database: Database.Database, clock: string, random: RandomSource): void {
  const instant = clock.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '')
  const fixed = { deterministic: true } as const
  const open = { deterministic: true, varargs: true, safeIntegers: true } as const
  database.function('current_timestamp', fixed, () => instant)
  database.function('current_date', fixed, () => instant.slice(0, 10))
  database.function('current_time', fixed, () => instant.slice(11))
  for (const name of clockFunctions) {
    database.function(name, open, (...args: SqliteValue[]) => atFrozenTime(name, clock, args))
  }
  database.function('random', () => random.next())
  for (const name of refusedFunctions) {
    database.function(name, { varargs: true }, () => {
      throw new Error(`function ${name}() is not available in an environment`)
    })
  }
}
