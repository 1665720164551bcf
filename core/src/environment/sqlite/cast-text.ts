import type Database from 'better-sqlite3'
import type { SqliteValue } from './cell.ts'
import { openSqlite } from './native-module.ts'

let cast: Database.Statement<[SqliteValue], string> | undefined

/** A value as the text that SQLite makes of it; asked of another connection, for functions run in the middle of a statement. */
export function textOf(value: SqliteValue): string {
  if (typeof value === 'string') return value
  cast ??= openSqlite(':memory:').prepare<[SqliteValue], string>('SELECT CAST(? AS TEXT)').pluck()
  return cast.get(value) ?? ''
}
