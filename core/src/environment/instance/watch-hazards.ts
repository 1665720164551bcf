import type { DatabaseImage } from '../image/database-image.ts'
import type { Connection } from '../sqlite/connection.ts'
import { foldName, quoteName } from '../sqlite/sql-text.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import type { TableInfo } from '../sqlite/table-info.ts'

const replaces = /\breplace\b/i
const namesRowid = /\b(?:rowid|_rowid_|oid)\b/i

interface ListedIndex {
  readonly name: string
  readonly unique: 0 | 1
  readonly origin: string
}

/** Whether a row that REPLACE puts in another's place has that one's key, so that noting its own key tells both. */
type KeyTells = 'both' | 'both unless the row id is set' | 'its own'

/** Columns that keep numbers as they come, so that 1 and 1.0 are two values that compare as equal. */
function keepsNumbers({ strict, columns }: TableInfo, key: string): boolean {
  const type = columns.find(({ name }) => name === key)?.type ?? ''
  if (/INT|CHAR|CLOB|TEXT/i.test(type)) return false
  return type === '' || /BLOB/i.test(type) || (strict && /^ANY$/i.test(type))
}

/** Whether keys that conflict are the same to the last bit: not where a collation or a comparison takes more for equal. */
function keysAreExact(connection: Connection, table: TableInfo, indexes: readonly ListedIndex[]): boolean {
  if (table.keyIsRowid) return true
  if (table.primaryKey.some((key) => keepsNumbers(table, key))) return false
  return indexes.every(({ name, origin }) => {
    if (origin !== 'pk') return true
    const parts = connection.database.pragma(`main.index_xinfo(${quoteName(name)})`) as readonly {
      readonly key: 0 | 1
      readonly coll: string
    }[]
    return parts.every(({ key, coll }) => key === 0 || coll.toUpperCase() === 'BINARY')
  })
}

function keyTells(connection: Connection, table: TableInfo): KeyTells {
  const indexes = connection.database.pragma(`main.index_list(${quoteName(table.name)})`) as readonly ListedIndex[]
  const others = indexes.filter(({ unique, origin }) => unique === 1 && origin !== 'pk')
  if (others.length > 0 || !keysAreExact(connection, table, indexes)) return 'its own'
  const keyedApart = table.primaryKey.length > 0 && !table.keyIsRowid && table.rowidName !== null
  return keyedApart ? 'both unless the row id is set' : 'both'
}

interface ListedForeignKey {
  readonly seq: number
  readonly table: string
  readonly from: string
  readonly to: string | null
}

/** What a declared type makes of values. Source: sqlite.org/datatype3.html, section 3.1. */
function affinityOf(table: TableInfo, column: string): string {
  const type = table.columns.find(({ name }) => foldName(name) === foldName(column))?.type ?? ''
  if (/INT/i.test(type)) return 'INTEGER'
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'TEXT'
  if (type === '' || /BLOB/i.test(type)) return 'BLOB'
  return /REAL|FLOA|DOUB/i.test(type) ? 'REAL' : 'NUMERIC'
}

/**
 * Positions of the tables that are referred to by columns of another type. SQLite converts a deleted row's key to that
 * type to look for rows that refer to it, and triggers see it converted: 7 for '007'.
 */
function convertedKeys(connection: Connection, { tables }: DatabaseImage): ReadonlySet<number> {
  const converted = new Set<number>()
  for (const child of tables) {
    const listed = connection.database.pragma(`main.foreign_key_list(${quoteName(child.name)})`)
    for (const { table, seq, from, to } of listed as readonly ListedForeignKey[]) {
      const position = tables.findIndex(({ name }) => foldName(name) === foldName(table))
      const parent = tables[position]
      const key = to ?? parent?.primaryKey[seq]
      if (parent === undefined || key === undefined) continue
      if (affinityOf(parent, key) !== affinityOf(child, from)) converted.add(position)
    }
  }
  return converted
}

/**
 * Knows after which writes the keys that triggers have noted do not tell all: REPLACE deletes rows that no trigger sees
 * and whose keys the written rows may not have, and foreign keys may convert what is noted.
 */
export class WatchHazards {
  readonly #converted: ReadonlySet<number>
  readonly #tells: readonly KeyTells[]
  readonly #schemaReplaces: boolean
  readonly #schemaNamesRowid: boolean

  constructor(connection: Connection, image: DatabaseImage) {
    this.#converted = convertedKeys(connection, image)
    this.#tells = image.tables.map((table) => keyTells(connection, table))
    this.#schemaReplaces = image.schema.some((sql) => replaces.test(sql))
    this.#schemaNamesRowid = image.schema.some((sql) => namesRowid.test(sql))
  }

  /** Whether a statement may have changed rows of a table, by position, without a trace. */
  hides({ sql }: RegisteredStatement, table: number): boolean {
    if (this.#converted.has(table)) return true
    if (!this.#schemaReplaces && !replaces.test(sql)) return false
    const tells = this.#tells[table]
    if (tells === 'both') return false
    return tells === 'its own' || this.#schemaNamesRowid || namesRowid.test(sql)
  }
}
