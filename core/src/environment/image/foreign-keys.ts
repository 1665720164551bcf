import type Database from 'better-sqlite3'
import { messageOf } from '../../errors/rlenv-error.ts'
import { foldName, quoteName } from '../sqlite/sql-text.ts'
import type { TableInfo } from '../sqlite/table-info.ts'

interface ListedForeignKey {
  readonly id: number
  readonly table: string
  readonly from: string
  readonly to: string | null
}

interface ForeignKey {
  readonly id: number
  readonly child: string
  readonly parent: string
  readonly from: readonly string[]
  readonly to: readonly string[]
}

interface Violation {
  readonly table: string
  readonly rowid: number | null
  readonly parent: string
  readonly fkid: number
}

const sameName = (a: string, b: string): boolean => foldName(a) === foldName(b)

const fullNames = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ')

function foreignKeys(database: Database.Database, child: TableInfo, parents: readonly TableInfo[]): ForeignKey[] {
  const listed = database.pragma(`main.foreign_key_list(${quoteName(child.name)})`) as readonly ListedForeignKey[]
  const ids = [...new Set(listed.map((part) => part.id))]
  return ids.map((id) => {
    const parts = listed.filter((part) => part.id === id)
    const parent = (parts[0] as ListedForeignKey).table
    const key = parents.find((table) => sameName(table.name, parent))?.primaryKey ?? []
    const to = parts.map((part, index) => part.to ?? key[index] ?? '(primary key)')
    return { id, child: child.name, parent, from: parts.map((part) => part.from), to }
  })
}

/** Whether SQLite can look a parent row up by these columns: its primary key or a full unique index over just them. */
function isUniqueKey(database: Database.Database, parent: TableInfo, columns: readonly string[]): boolean {
  const wanted = new Set(columns.map((name) => foldName(name)))
  const covers = (names: readonly (string | null)[]) =>
    names.length === wanted.size && names.every((name) => name !== null && wanted.has(foldName(name)))
  if (covers(parent.primaryKey)) return true
  const indexes = database.pragma(`main.index_list(${quoteName(parent.name)})`) as readonly {
    readonly name: string
    readonly unique: 0 | 1
    readonly partial: 0 | 1
  }[]
  return indexes
    .filter((index) => index.unique === 1 && index.partial === 0)
    .some((index) => {
      const parts = database.pragma(`main.index_info(${quoteName(index.name)})`) as readonly { name: string | null }[]
      return covers(parts.map((part) => part.name))
    })
}

function declarationFault(database: Database.Database, key: ForeignKey, tables: readonly TableInfo[]): string | null {
  const where = `foreign key ${fullNames(key.child, key.from)} → ${fullNames(key.parent, key.to)}`
  const parent = tables.find((table) => sameName(table.name, key.parent))
  if (parent === undefined) return `${where}: there is no table ${key.parent}`
  const missing = key.to.filter((name) => !parent.columns.some((column) => sameName(column.name, name)))
  if (missing.length > 0) return `${where}: ${key.parent} has no column ${missing.join(', ')}`
  if (isUniqueKey(database, parent, key.to)) return null
  return `${where}: ${fullNames(key.parent, key.to)} is neither a primary key nor UNIQUE`
}

/** Rows without a parent; or SQLite's own words when it cannot look parents up, say by an index of another collation. */
function violationsOf(database: Database.Database, table: TableInfo): readonly Violation[] | string {
  try {
    return database.pragma(`main.foreign_key_check(${quoteName(table.name)})`) as readonly Violation[]
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function rowFaults(database: Database.Database, keys: readonly ForeignKey[], table: TableInfo): string[] {
  const violations = violationsOf(database, table)
  if (typeof violations === 'string') {
    const need = 'the columns of the parent need a primary key or unique index with their own collation'
    return [`foreign keys of ${table.name}: ${violations}; ${need}`]
  }
  return violations.map((violation) => {
    const key = keys.find((candidate) => candidate.id === violation.fkid)
    const columns = key === undefined ? table.name : fullNames(table.name, key.from)
    const row = violation.rowid === null ? 'a row' : `rowid ${violation.rowid}`
    return `${table.name} ${row}: ${columns} refers to no row of ${violation.parent}`
  })
}

/**
 * Everything wrong with a database's foreign keys, table by table, because the whole-database check stops at the first
 * key whose parent is not unique and then reports nothing.
 */
export function foreignKeyFindings(database: Database.Database, tables: readonly TableInfo[]): string[] {
  return tables.flatMap((table) => {
    const keys = foreignKeys(database, table, tables)
    const declared = keys.map((key) => declarationFault(database, key, tables)).filter((fault) => fault !== null)
    return declared.length > 0 ? declared : rowFaults(database, keys, table)
  })
}
