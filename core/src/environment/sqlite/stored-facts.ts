import type Database from 'better-sqlite3'
import { foldName, quoteName } from './sql-text.ts'
import type { TableInfo } from './table-info.ts'
import { selfOverlap } from './text-repetition.ts'

/** Fewest characters that a word takes. */
const charactersOfWord = 2

interface IndexFacts {
  readonly unique: boolean
  readonly columns: number
}

/** What calls have made of the rows of a database since. */
export interface StoredGrowth {
  /** Rows of a table that may have become like others. */
  rows(table: TableInfo): number
  /** Length that texts of a column may have got. */
  length(table: TableInfo, column: string): number
  /** How much texts of a column may repeat themselves, see `selfOverlap`. */
  overlap(table: TableInfo, column: string): number
}

const noGrowth: StoredGrowth = { rows: () => 0, length: () => 0, overlap: () => 0 }

/** Facts by the names of what they are about. */
interface FoundOut {
  readonly groups: Map<string, number>
  readonly overlaps: Map<string, number>
  readonly lengths: Map<string, number>
  readonly words: Map<string, number>
  readonly indexes: Map<string, IndexFacts>
}

const nothingFound = (): FoundOut => {
  return { groups: new Map(), overlaps: new Map(), lengths: new Map(), words: new Map(), indexes: new Map() }
}

/** What the rows of a database are like, as far as the cost of a statement depends on it. Each fact is found out once. */
export class StoredFacts {
  readonly #database: Database.Database
  readonly #growth: StoredGrowth
  readonly #found: FoundOut

  /** @param known - of the same database: what it has found out, or will, is shared. */
  constructor(database: Database.Database, growth = noGrowth, known?: StoredFacts) {
    this.#database = database
    this.#growth = growth
    this.#found = known === undefined ? nothingFound() : known.#found
  }

  /**
   * The most rows of a table that share their values in some columns, or have none in them.
   *
   * @param collations - those by which values may be alike besides the columns' own.
   */
  largestGroup(table: TableInfo, columns: readonly string[], collations: ReadonlySet<string> = new Set()): number {
    const alike = ['', ...collations].map((collation) => this.#groupBy(table, columns, collation))
    return Math.max(...alike) + this.#growth.rows(table)
  }

  #groupBy(table: TableInfo, columns: readonly string[], collation: string): number {
    const collate = collation === '' ? '' : ` COLLATE ${quoteName(collation)}`
    const known = columns.map((column) => quoteName(column) + collate).join(', ')
    const key = `${table.name}\n${known}`
    const found = this.#found.groups.get(key)
    if (found !== undefined) return found
    const sql = `SELECT ifnull(max(n), 0) FROM (SELECT count(*) AS n FROM main.${quoteName(table.name)} GROUP BY ${known})`
    const largest = Number(this.#database.prepare(sql).pluck().get())
    this.#found.groups.set(key, largest)
    return largest
  }

  /** Names of a view's columns, folded. */
  columnsOf(view: string): readonly string[] {
    const listed = this.#database.pragma(`main.table_info(${quoteName(view)})`) as readonly { readonly name: string }[]
    return listed.map(({ name }) => foldName(name))
  }

  /** Whether no two rows can share what an index holds, NULL aside, when all of so many columns are given. */
  isUnique(index: string, columns: number): boolean {
    const facts = this.#found.indexes.get(index) ?? this.#readIndex(index)
    this.#found.indexes.set(index, facts)
    return facts.unique && facts.columns === columns
  }

  /** Whether rows of a table can be found by these columns without a look at all of them. */
  isIndexed(table: TableInfo, columns: readonly string[]): boolean {
    const [first] = columns
    if (table.keyIsRowid && columns.length === 1 && first === table.primaryKey[0]) return true
    const indexes = this.#database.pragma(`main.index_list(${quoteName(table.name)})`) as readonly {
      readonly name: string
      readonly partial: 0 | 1
    }[]
    return indexes.some(({ name, partial }) => {
      const keys = this.#database.pragma(`main.index_info(${quoteName(name)})`) as readonly { readonly name: string }[]
      const leading = keys.slice(0, columns.length).map((key) => key.name)
      return partial === 0 && columns.every((column) => leading.includes(column))
    })
  }

  #readIndex(index: string): IndexFacts {
    const row = this.#database
      .prepare(
        'SELECT l."unique" AS u, (SELECT count(*) FROM pragma_index_info(l.name)) AS n FROM sqlite_master AS m, pragma_index_list(m.tbl_name) AS l WHERE m.name = @index AND l.name = @index',
      )
      .raw()
      .safeIntegers(false)
      .get({ index }) as readonly [number, number] | undefined
    const [unique, columns] = row ?? [0, 0]
    return { unique: unique === 1, columns }
  }

  /** Length, in bytes, of the longest value of one of these columns, of whatever table. */
  longestText(tables: readonly TableInfo[], columns: readonly string[]): number {
    return this.#mostOf(tables, columns, (table, name) => this.lengthOf(table, name))
  }

  /** The most that a text of one of these columns, of whatever table, repeats itself, see `selfOverlap`. */
  mostOverlap(tables: readonly TableInfo[], columns: readonly string[]): number {
    return this.#mostOf(tables, columns, (table, name) =>
      Math.max(this.#overlapOf(table, name), this.#growth.overlap(table, name)),
    )
  }

  #mostOf(
    tables: readonly TableInfo[],
    columns: readonly string[],
    one: (table: TableInfo, column: string) => number,
  ): number {
    let most = 0
    for (const table of tables)
      for (const { name } of table.columns)
        if (columns.includes(foldName(name))) most = Math.max(most, one(table, name))
    return most
  }

  /** Length, in characters, of the longest text of a column. */
  lengthOf(table: TableInfo, column: string): number {
    return Math.max(this.#storedLength(table, column), this.#growth.length(table, column))
  }

  #storedLength(table: TableInfo, column: string): number {
    const key = `${table.name}\n${column}`
    const known = this.#found.lengths.get(key)
    if (known !== undefined) return known
    const sql = `SELECT ifnull(max(octet_length(${quoteName(column)})), 0) FROM main.${quoteName(table.name)}`
    const length = Number(this.#database.prepare(sql).pluck().get())
    this.#found.lengths.set(key, length)
    return length
  }

  #overlapOf(table: TableInfo, column: string): number {
    const key = `${table.name}\n${column}`
    const known = this.#found.overlaps.get(key)
    if (known !== undefined) return known
    let most = 0
    for (const text of this.#texts(table, column)) most = Math.max(most, selfOverlap(text))
    this.#found.overlaps.set(key, most)
    return most
  }

  /** The most words that a text of some tables has. */
  mostWords(tables: readonly TableInfo[]): number {
    const names = tables.flatMap((table) => table.columns.map(({ name }) => ({ table, name })))
    return names.reduce(
      (most, { table, name }) =>
        Math.max(most, this.#wordsOf(table, name), this.#growth.length(table, name) / charactersOfWord),
      0,
    )
  }

  #wordsOf(table: TableInfo, column: string): number {
    const key = `${table.name}\n${column}`
    const known = this.#found.words.get(key)
    if (known !== undefined) return known
    let most = 0
    for (const text of this.#texts(table, column)) most = Math.max(most, text.split(/[^\p{L}\p{N}]+/u).length)
    this.#found.words.set(key, most)
    return most
  }

  /** The different texts of a column. */
  #texts(table: TableInfo, column: string): IterableIterator<string> {
    const name = quoteName(column)
    const sql = `SELECT DISTINCT ${name} FROM main.${quoteName(table.name)} WHERE typeof(${name}) = 'text'`
    return this.#database.prepare<[], string>(sql).pluck().iterate()
  }
}
