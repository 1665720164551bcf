import { aliasAfter, declaredQueries } from './declared-queries.ts'
import { DerivedQueries } from './derived-queries.ts'
import type { PlanNames } from './plan-cost.ts'
import { SearchTerms } from './search-terms.ts'
import { isName } from './select-parts.ts'
import { foldName, isSymbol, planWord, type SqlToken } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'
import { unpackedRows } from './unpacked-lists.ts'

/** An index search is taken to hit at least so many rows, for what is told apart now may be alike after a few calls. */
const fewestSearched = 4

/** What the names in a statement stand for, by their {@link planWord}. */
class Names {
  /** Positions of the tables that a name may stand for. */
  readonly tables = new Map<string, Set<number>>()
  /** Names that may stand for a subquery. */
  readonly derived = new Set<string>()
  readonly #positions: ReadonlyMap<string, number>

  constructor(positions: ReadonlyMap<string, number>) {
    this.#positions = positions
  }

  add(tokens: readonly SqlToken[]): void {
    const declared = declaredQueries(tokens)
    for (const name of declared) this.derived.add(planWord(name))
    tokens.forEach((token, index) => {
      const alias = aliasAfter(tokens, index)
      if (isSymbol(token, ')') && alias !== undefined) this.derived.add(planWord(alias))
      if (!isName(token)) return
      const name = foldName(token.text)
      if (declared.has(name) && alias !== undefined) this.derived.add(planWord(alias))
      const table = this.#positions.get(name)
      if (table === undefined) return
      this.#note(name, table)
      if (alias !== undefined) this.#note(alias, table)
    })
  }

  #note(name: string, table: number): void {
    const tables = this.tables.get(planWord(name)) ?? new Set<number>()
    this.tables.set(planWord(name), tables.add(table))
  }
}

export interface PlanNamesParts {
  readonly tables: readonly TableInfo[]
  readonly rowCount: (table: TableInfo) => number
  readonly facts: StoredFacts
  /** What each view selects, by its name in lower case. */
  readonly views: ReadonlyMap<string, readonly SqlToken[]>
}

/** The statement's tokens, and those of the views that it reads, each once. */
export function withViews(
  tokens: readonly SqlToken[],
  views: PlanNamesParts['views'],
): readonly (readonly SqlToken[])[] {
  const texts = [tokens]
  const seen = new Set<string>()
  for (const text of texts) {
    for (const token of text) {
      const name = foldName(token.text)
      const body = isName(token) ? views.get(name) : undefined
      if (body === undefined || seen.has(name)) continue
      seen.add(name)
      texts.push(body)
    }
  }
  return texts
}

/** Columns that a line of a plan searches for by a value: `(a=? AND b>?)` gives a. */
function searchedColumns(detail: string): readonly string[] {
  const given = /\((.*)\)[^()]*$/.exec(detail)?.[1] ?? ''
  const terms = given.split(' AND ')
  return terms.filter((term) => term.endsWith('=?')).map((term) => term.slice(0, -2))
}

/**
 * What a plan's lines need to know about the names in a statement. A name may stand for several tables, and for subqueries
 * as well: then the largest counts.
 *
 * @param writes - whether it may fire triggers, whose tables a plan lists beside its own.
 * @param collations - those besides BINARY by which its program looks rows up.
 */
export function planNames(
  parts: PlanNamesParts,
  statement: readonly SqlToken[],
  { writes, collations }: { readonly writes: boolean; readonly collations: ReadonlySet<string> },
): PlanNames {
  const { tables, rowCount, facts, views } = parts
  const positions = new Map(tables.map((table, index) => [foldName(table.name), index]))
  const names = new Names(positions)
  const texts = withViews(statement, views)
  for (const text of texts) names.add(text)
  const queries = new DerivedQueries(tables, facts)
  for (const [name, body] of views) if (texts.includes(body)) queries.addView(name, body, facts.columnsOf(name))
  for (const text of texts) queries.add(text, names.derived)
  const terms = new SearchTerms()
  for (const text of texts) terms.add(text)
  const unpacked = Math.max(...texts.map((text) => unpackedRows(text, tables, facts)))
  const largest = Math.max(1, ...tables.map(rowCount))
  const known = (name: string): readonly TableInfo[] =>
    [...(names.tables.get(foldName(name)) ?? [])].map((position) => tables[position] as TableInfo)

  /** Rows that one value of each searched column leads to. */
  const hit = (name: string, table: TableInfo, detail: string, rows: number): number => {
    const columns = searchedColumns(detail)
    if (columns.includes('rowid') && !table.columns.some((column) => foldName(column.name) === 'rowid')) return 1
    const found = columns.map((searched) => table.columns.find((column) => column.name === searched))
    if (columns.length === 0 || found.includes(undefined)) return rows
    const index = /USING (?:COVERING )?INDEX (\S+) \(/.exec(detail)?.[1]
    const valued = found.every((column) => column?.notNull === true || !terms.findsNull(name, column?.name ?? ''))
    if (valued && index !== undefined && facts.isUnique(index, columns.length)) return 1
    return Math.max(facts.largestGroup(table, columns, collations), Math.min(rows, fewestSearched))
  }

  const searched = (name: string, table: TableInfo, detail: string, rows: number): number => {
    const byRowid = detail.includes('(rowid=?)')
    const columns = byRowid ? [...table.primaryKey, 'rowid', '_rowid_', 'oid'] : searchedColumns(detail)
    const once = byRowid ? 1 : hit(name, table, detail, rows)
    return columns.reduce((product, column) => product * terms.searches(name, column), once)
  }

  const derivedHit = (name: string, detail: string, rows: number): number => {
    const columns = searchedColumns(detail).map(foldName)
    const once = columns.length === 0 ? rows : queries.hit(foldName(name), columns, rows, collations)
    return columns.reduce((product, column) => product * terms.searches(name, column), once)
  }

  return {
    largest,
    unpacked,
    rows: (name) => {
      const found = known(name)
      if (found.length > 0) return Math.max(...found.map(rowCount))
      const named = positions.get(foldName(name))
      if (named === undefined) return undefined
      return writes ? null : rowCount(tables[named] as TableInfo)
    },
    shadowed: (name) => names.derived.has(foldName(name)) && known(name).length > 0,
    searched: (name, detail, rows) => {
      const unnamed = tables[positions.get(foldName(name)) ?? -1]
      const found = known(name).length > 0 || unnamed === undefined ? known(name) : [unnamed]
      const derived = names.derived.has(foldName(name)) || found.length === 0
      const yielded = derived ? derivedHit(name, detail, rows) : 1
      return Math.min(rows, Math.max(yielded, ...found.map((table) => searched(name, table, detail, rows))))
    },
  }
}
