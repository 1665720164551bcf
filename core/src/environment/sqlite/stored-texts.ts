import type Database from 'better-sqlite3'
import { longestParameter } from './admitted-sql.ts'
import type { TextFacts } from './program-texts.ts'
import { quoteName } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'

interface StoredObject {
  readonly type: string
  readonly name: string
}

/** How long the texts are that are stored in the b-trees of a database. */
export class StoredTexts {
  readonly #database: Database.Database
  readonly #tables: readonly TableInfo[]
  readonly #tableOfPage: ReadonlyMap<number, number>
  readonly #virtual: readonly TableInfo[]
  readonly #facts: StoredFacts
  /** Columns by the root page of what stores them, null for one that is unknown. */
  readonly #columns = new Map<number, readonly (string | null)[]>()

  constructor(parts: {
    readonly database: Database.Database
    readonly tables: readonly TableInfo[]
    readonly tableOfPage: ReadonlyMap<number, number>
    /** Positions of virtual tables. */
    readonly virtual: readonly number[]
    readonly facts: StoredFacts
  }) {
    this.#database = parts.database
    this.#tables = parts.tables
    this.#tableOfPage = parts.tableOfPage
    this.#virtual = parts.virtual.map((position) => parts.tables[position] as TableInfo)
    this.#facts = parts.facts
  }

  /**
   * What a program's texts depend on.
   *
   * @param visits - upper bound of its row visits.
   * @param unpacked - rows that json_each() and json_tree() are taken to yield; 0 when neither is called.
   */
  facts(visits: number, unpacked = 0): TextFacts {
    return {
      visits,
      unpacks: unpacked > 0,
      parameter: longestParameter,
      column: (page, column) => this.#column(page, column),
      virtual: {
        length: this.#longest(this.#virtual),
        words: this.#facts.mostWords(this.#virtual),
        rows: Math.max(1, unpacked),
      },
    }
  }

  #column(page: number, column: number): number {
    const position = this.#tableOfPage.get(page)
    if (position === undefined) return this.#longest(this.#tables)
    const table = this.#tables[position] as TableInfo
    const name = this.#columnsAt(page, table)[column]
    return name == null ? this.#longest([table]) : this.#facts.lengthOf(table, name)
  }

  #longest(tables: readonly TableInfo[]): number {
    const lengths = tables.flatMap((table) => table.columns.map(({ name }) => this.#facts.lengthOf(table, name)))
    return Math.max(0, ...lengths)
  }

  #columnsAt(page: number, table: TableInfo): readonly (string | null)[] {
    const known = this.#columns.get(page)
    if (known !== undefined) return known
    const columns = this.#readColumns(page, table)
    this.#columns.set(page, columns)
    return columns
  }

  /** In the order in which they are stored, as instructions number them: without columns that are calculated when read. */
  #readColumns(page: number, table: TableInfo): readonly (string | null)[] {
    const stored = this.#database.prepare('SELECT type, name FROM sqlite_master WHERE rootpage = ?').get(page)
    const { type, name } = stored as StoredObject
    if (type === 'index') {
      const keys = this.#database.pragma(`main.index_xinfo(${quoteName(name)})`) as readonly { name: string | null }[]
      return keys.map((key) => key.name)
    }
    if (table.rowidName === null) return []
    const listed = this.#database.pragma(`main.table_xinfo(${quoteName(name)})`) as readonly {
      readonly name: string
      readonly hidden: number
    }[]
    return listed.filter(({ hidden }) => hidden !== 2).map((column) => column.name)
  }
}
