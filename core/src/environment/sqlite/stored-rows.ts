import type Database from 'better-sqlite3'
import { quoteName } from './sql-text.ts'
import type { TableInfo } from './table-info.ts'

/** Counts each table once. */
export function storedRowCount(database: Database.Database): (table: TableInfo) => number {
  const counts = new Map<string, number>()
  return ({ name }) => {
    const known = counts.get(name)
    if (known !== undefined) return known
    const count = database
      .prepare(`SELECT count(*) FROM main.${quoteName(name)}`)
      .pluck()
      .get() as number
    counts.set(name, count)
    return count
  }
}
