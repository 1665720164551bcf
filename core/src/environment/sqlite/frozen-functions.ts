import type Database from 'better-sqlite3'
import { textOf } from './cast-text.ts'
import type { SqliteValue } from './cell.ts'
import { longestReplaced } from './function-work.ts'
import { openSqlite } from './native-module.ts'
import { placesOf } from './text-search.ts'

/** Where a connection's `random()` comes from. */
export interface RandomSource {
  /** A signed 64-bit integer. */
  next(): bigint
}

/** What a connection's functions go by while a statement runs. */
export interface FunctionWatch {
  /** Called by each function that is carried out outside of SQLite. May throw, which ends the statement. */
  look(): void
  /** Longest text that a function may make, in UTF-16 units. */
  longestText(): number
}

const unwatched: FunctionWatch = { look: () => {}, longestText: () => longestReplaced }

/** Functions that answer "now" or need a time zone; all go through {@link builtIn}. */
const clockFunctions = ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff'] as const

/** Built-ins that make memory or files out of nothing. */
const refusedFunctions = ['randomblob', 'zeroblob', 'printf', 'format', 'load_extension'] as const

/** Most that the lengths of a text and of what replace() looks for in it may multiply to, as its time may. */
const mostTried = 100_000_000

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

/** The error for a text that would be longer than a function may make it. */
export function tooLong(what: string, length: number, longest: number): Error {
  const message = `${what} would make ${length} characters, at most ${longest} are allowed`
  return Object.assign(new Error(message), { code: 'SQLITE_TOOBIG' })
}

const lengthOf = (value: SqliteValue): number =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.length : String(value ?? '').length

/** Length that replace() comes to. */
function replacedLength(text: SqliteValue, pattern: SqliteValue, replacement: SqliteValue): number {
  const growth = lengthOf(replacement) - lengthOf(pattern)
  const places = growth > 0 && lengthOf(pattern) > 0 ? placesOf(textOf(text), textOf(pattern)) : 0
  return lengthOf(text) + places * growth
}

/** SQLite's replace(), which could multiply the lengths of its arguments, for results that are bounded or no longer than those. */
function replaceWithin(longest: number, args: readonly [SqliteValue, SqliteValue, SqliteValue]): SqliteValue {
  const [text, pattern] = args
  const length = replacedLength(...args)
  if (length > Math.max(longest, lengthOf(text))) throw tooLong('replace()', length, longest)
  if (lengthOf(text) * lengthOf(pattern) > mostTried)
    throw new Error(`replace() looks for ${lengthOf(pattern)} characters in ${lengthOf(text)}, which takes too long`)
  return builtIn('replace', args)
}

/** strftime() among others, whose format says how long the text is that it makes. */
function timeWithin(longest: number, name: string, clock: string, args: readonly SqliteValue[]): SqliteValue {
  const made = atFrozenTime(name, clock, args)
  if (typeof made === 'string' && made.length > longest) throw tooLong(`${name}()`, made.length, longest)
  return made
}

/**
 * Lets time stand still, draws `random()` from the given source, and closes the built-ins that a world must not have.
 *
 * @param watch - what the functions that are carried out here go by; by default nothing ends them, and texts have 200,000 characters.
 */
export function freezeFunctions(
  database: Database.Database,
  clock: string,
  random: RandomSource,
  watch: FunctionWatch = unwatched,
): void {
  const instant = clock.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '')
  const fixed = { deterministic: true } as const
  const open = { deterministic: true, varargs: true, safeIntegers: true } as const
  database.function('current_timestamp', fixed, () => instant)
  database.function('current_date', fixed, () => instant.slice(0, 10))
  database.function('current_time', fixed, () => instant.slice(11))
  for (const name of clockFunctions) {
    database.function(name, open, (...args: SqliteValue[]) => {
      watch.look()
      return timeWithin(watch.longestText(), name, clock, args)
    })
  }
  const replace = (...args: [SqliteValue, SqliteValue, SqliteValue]): SqliteValue => {
    watch.look()
    return replaceWithin(watch.longestText(), args)
  }
  database.function('replace', { deterministic: true, safeIntegers: true }, (text, pattern, replacement) =>
    replace(text, pattern, replacement),
  )
  database.function('random', () => random.next())
  for (const name of refusedFunctions) {
    database.function(name, { varargs: true }, () => {
      throw new Error(`function ${name}() is not available in an environment`)
    })
  }
}
