import type Database from 'better-sqlite3'
import { columnList } from '../sqlite/row-lookup.ts'
import { foldName, quoteName } from '../sqlite/sql-text.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import { viewCopy } from './view-copy.ts'

/** The function that each view calls for every row that it hands on. */
export const visitFunction = 'visit_row'

/** The name under which a view reads its table; query plans show it. */
export const countedName = (table: number): string => `visited:${table}`

/** Names that only our views may use. */
export const reservedNames = /^(?:visit_row|visited:.*)$/i

/**
 * What tells a row from others. It is handed to the function so that SQLite calls it in the loop that reads this table
 * and not in one further out: an expression without columns belongs to the outermost.
 */
function rowIdentity({ rowidName, primaryKey, columns }: TableInfo, alias: string): string {
  const names = rowidName !== null ? [rowidName] : primaryKey.length > 0 ? primaryKey : columns.map(({ name }) => name)
  return names.map((name) => `${alias}.${quoteName(name)}`).join(', ')
}

/**
 * Whether every row that is looked at is counted. Where columns hide all names of the row id, those that tell its rows apart
 * may be missing in an index, and then a condition on the index comes first.
 */
export const isCounted = ({ rowidName, columns }: TableInfo): boolean =>
  rowidName !== null || !columns.some(({ name }) => foldName(name) === 'rowid')

function tableView(table: TableInfo, position: number): string {
  const name = quoteName(table.name)
  const alias = quoteName(countedName(position))
  const counted = `${visitFunction}(${rowIdentity(table, alias)})`
  return `CREATE TEMP VIEW ${name} AS SELECT ${columnList(table)} FROM main.${name} AS ${alias} WHERE ${counted}`
}

/**
 * Lays a view of the same name over every ordinary table, which hands on its rows and has each of them counted, and over
 * every view, so that it reads those. Virtual tables have none: their own searches cannot pass through a view.
 */
export function createCountedViews(database: Database.Database, tables: readonly TableInfo[]): void {
  const stored = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").pluck().all()
  const ordinary = new Set(stored)
  tables.forEach((table, position) => {
    if (ordinary.has(table.name)) database.exec(tableView(table, position))
  })
  const views = database.prepare("SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid").pluck().all()
  for (const sql of views as readonly string[]) database.exec(viewCopy(sql))
}
