import type Database from 'better-sqlite3'
import type { SqliteValue } from './cell.ts'
import { openSqlite } from './native-module.ts'

/** Where a connection's `random()` comes from. */
export interface RandomSource {
  /** A signed 64-bit integer. */
  next(): bigint
}

/** Functions that answer "now" or need a time zone; all go through {@link builtIn}. */
const clockFunctions = ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff'] as const

/** Built-ins that make memory or files out of nothing. */
const refusedFunctions = ['randomblob', 'zeroblob', 'printf', 'format', 'load_extension'] as const

/** Longest text that replace() makes, in characters. */
const longestReplaced = 200_000

let ownDatabase: Database.Database | undefined
const ownStatements = new Map<string, Database.Statement>()

/** SQLite's own function, run on a connection of its own so that a connection may override it. */
function builtIn(name: string, args: readonly SqliteValue[]): SqliteValue {
  const key = `${name}/${args.length}`
  let statement = ownStatements.get(key)
  if (statement === undefined) {
    ownDatabase ??= openSqlite(':memory:')
    statement = ownDatabase
      .prepare(`SELECT ${name}(${args.map(() => '?').join(', ')})`)
      .pluck()
      .safeIntegers()
    ownStatements.set(key, statement)
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
  return builtIn(
    name,
    full.map((value, index) => (index >= first && isNow(value) ? clock : value)),
  )
}

const lengthOf = (value: SqliteValue): number =>
  typeof value === 'string' ? value.length : Buffer.isBuffer(value) ? value.length : String(value ?? '').length

/** SQLite's replace(), which could multiply the lengths of its arguments, for results of a bounded length. */
function replaceWithin(text: SqliteValue, pattern: SqliteValue, replacement: SqliteValue): SqliteValue {
  const growth = Math.max(0, lengthOf(replacement) - lengthOf(pattern))
  const places =
    growth === 0 || lengthOf(pattern) === 0 ? 0 : String(text ?? '').split(String(pattern ?? '')).length - 1
  const length = lengthOf(text) + places * growth
  if (length > longestReplaced) {
    const message = `replace() would make ${length} characters, at most ${longestReplaced} are allowed`
    throw Object.assign(new Error(message), { code: 'SQLITE_TOOBIG' })
  }
  return builtIn('replace', [text, pattern, replacement])
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
  database.function('replace', { deterministic: true, safeIntegers: true }, replaceWithin)
  database.function('random', () => random.next())
  for (const name of refusedFunctions) {
    database.function(name, { varargs: true }, () => {
      throw new Error(`function ${name}() is not available in an environment`)
    })
  }
}
