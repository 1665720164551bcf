import type Database from 'better-sqlite3'
import { foldName, quoteName } from './sql-text.ts'

export interface ColumnInfo {
  readonly name: string
  /** As declared, "" for none. */
  readonly type: string
  readonly notNull: boolean
  /** Computed from other columns; never written. */
  readonly generated: boolean
}

/** A table that holds state. */
export interface TableInfo {
  readonly name: string
  readonly columns: readonly ColumnInfo[]
  /** Names of the primary-key columns in key order; empty without a declared key. */
  readonly primaryKey: readonly string[]
  /** A name under which the row id can be read; null for WITHOUT ROWID tables and where columns hide all of its names. */
  readonly rowidName: string | null
  /** Names of the columns that tell rows apart: the primary key, or the row id's name, or else every column. */
  readonly identity: readonly string[]
  readonly strict: boolean
  /** Whether the one primary-key column is another name for the row id. */
  readonly keyIsRowid: boolean
}

interface ListedTable {
  readonly schema: string
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual' | 'shadow'
  readonly wr: 0 | 1
  readonly strict: 0 | 1
}

interface ListedColumn {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly pk: number
  readonly hidden: 0 | 1 | 2 | 3
}

/** A virtual table holds state of its own only when it stores its content; others are indexes over another table. */
function holdsState(table: ListedTable, all: readonly ListedTable[]): boolean {
  if (table.schema !== 'main' || table.name.startsWith('sqlite_')) return false
  if (table.type === 'table') return true
  const stored = [`${table.name}_content`, `${table.name}_node`]
  return table.type === 'virtual' && all.some((other) => other.type === 'shadow' && stored.includes(other.name))
}

function readTable(database: Database.Database, table: ListedTable): TableInfo {
  const listed = database.pragma(`main.table_xinfo(${quoteName(table.name)})`) as readonly ListedColumn[]
  const visible = listed.filter((column) => column.hidden !== 1)
  const primaryKey = visible
    .filter((column) => column.pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map((column) => column.name)
  const taken = new Set(listed.map((column) => foldName(column.name)))
  const rowidName = table.wr === 1 ? null : (['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name)) ?? null)
  const columns = visible.map((column) => ({
    name: column.name,
    type: column.type,
    notNull: column.notnull === 1,
    generated: column.hidden >= 2,
  }))
  const byContent = columns.map((column) => column.name)
  const identity = primaryKey.length > 0 ? primaryKey : rowidName === null ? byContent : [rowidName]
  const indexes = database.pragma(`main.index_list(${quoteName(table.name)})`) as readonly { readonly origin: string }[]
  const keyIsRowid =
    table.type === 'table' &&
    table.wr === 0 &&
    primaryKey.length === 1 &&
    !indexes.some((index) => index.origin === 'pk')
  return { name: table.name, columns, primaryKey, rowidName, identity, strict: table.strict === 1, keyIsRowid }
}

/** The tables that hold state, sorted by name. SQLite's own tables and the shadows of virtual tables are left out. */
export function readTables(database: Database.Database): readonly TableInfo[] {
  const listed = database.pragma('table_list') as readonly ListedTable[]
  return listed
    .filter((table) => holdsState(table, listed))
    .map((table) => readTable(database, table))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
