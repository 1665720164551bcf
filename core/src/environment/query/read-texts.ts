import type Database from 'better-sqlite3'
import { foldName, isSymbol, type SqlToken, sqlTokens } from '../sqlite/sql-text.ts'
import { viewBody } from '../sqlite/statement-text.ts'
import { StoredFacts } from '../sqlite/stored-facts.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import { textCopies, writtenCharacters } from './text-copies.ts'
import type { TextUse } from './text-room.ts'

/** Whether a query may read columns that it does not name. */
function selectsAll(tokens: readonly SqlToken[]): boolean {
  return tokens.some((token, index) => {
    const before = tokens[index - 1]
    return (
      isSymbol(token, '*') &&
      (/^(?:SELECT|DISTINCT|ALL)$/.test(before?.keyword ?? '') || /^[,.]$/.test(before?.text ?? ''))
    )
  })
}

const namesOf = (tokens: readonly SqlToken[]): string[] =>
  tokens.flatMap(({ kind, text }) => (kind === 'word' || kind === 'quoted' ? [foldName(text)] : []))

/** The texts that queries of a database read: those that its tables hold, and those that its views make of them. */
export class ReadTexts {
  readonly #tables: readonly TableInfo[]
  readonly #facts: StoredFacts
  readonly #bytes: number
  /** How many copies of one text each view may come to, by folded name. */
  readonly #views = new Map<string, number>()
  /** What all views are written with. */
  readonly #viewTokens: SqlToken[] = []

  /** @param bytes - size of the database. */
  constructor(database: Database.Database, tables: readonly TableInfo[], bytes: number) {
    this.#tables = tables
    this.#facts = new StoredFacts(database)
    this.#bytes = bytes
    const views = database
      .prepare("SELECT name, sql FROM main.sqlite_master WHERE type = 'view' ORDER BY rowid")
      .raw(true)
    for (const [name, sql] of views.all() as readonly [string, string][]) {
      this.#views.set(foldName(name), textCopies(viewBody(sql), this.#views))
      this.#viewTokens.push(...sqlTokens(sql))
    }
  }

  /** @param reads - tables that the query reads, as positions. */
  of(tokens: readonly SqlToken[], reads: readonly number[]): TextUse {
    const viewed = namesOf(tokens).some((name) => this.#views.has(name))
    const written = viewed ? [...tokens, ...this.#viewTokens] : tokens
    const tables = reads.map((position) => this.#tables[position] as TableInfo)
    const every = selectsAll(written) ? tables.flatMap((table) => table.columns.map(({ name }) => foldName(name))) : []
    return {
      copies: textCopies(tokens, this.#views),
      written: writtenCharacters(written),
      mostStored: tables.length === 0 ? 0 : this.#bytes,
      stored: () => this.#facts.longestText(tables, [...namesOf(written), ...every]),
    }
  }
}
