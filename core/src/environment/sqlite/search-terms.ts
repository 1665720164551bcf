import { foldName, isSymbol, planWord, type SqlToken } from './sql-text.ts'

const isName = (token: SqlToken | undefined): token is SqlToken => token?.kind === 'word' || token?.kind === 'quoted'

/** How many values an IN has to try, where its bracket opens; infinitely many for a subquery or a table. */
function valuesOf(tokens: readonly SqlToken[], open: number): number {
  const first = tokens[open + 1]?.keyword
  if (!isSymbol(tokens[open], '(') || first === 'SELECT' || first === 'WITH' || first === 'VALUES')
    return Number.POSITIVE_INFINITY
  let [depth, values] = [0, 1]
  for (let at = open; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) depth++
    if (isSymbol(tokens[at], ')') && --depth === 0) break
    if (depth === 1 && isSymbol(tokens[at], ',')) values++
  }
  return values
}

/** A column as it is written at a place: `o.id`, or `.id` where no table is named. */
function columnAt(tokens: readonly SqlToken[], at: number): string {
  const table = isSymbol(tokens[at - 1], '.') ? planWord(tokens[at - 2]?.text ?? '') : ''
  return foldName(`${table}.${tokens[at]?.text}`)
}

/** Columns in the expression that ends before a place: one, or all in a bracket. */
function columnsBefore(tokens: readonly SqlToken[], end: number): readonly string[] {
  if (isName(tokens[end - 1])) return [columnAt(tokens, end - 1)]
  if (!isSymbol(tokens[end - 1], ')')) return []
  const columns: string[] = []
  let depth = 0
  for (let at = end - 1; at >= 0; at--) {
    if (isSymbol(tokens[at], ')')) depth++
    if (isSymbol(tokens[at], '(') && --depth === 0) break
    if (isName(tokens[at])) columns.push(columnAt(tokens, at))
  }
  return columns
}

/** The column that begins an expression: `k`, or the one of `t.k`. */
function columnsAfter(tokens: readonly SqlToken[], start: number): readonly string[] {
  const at = isSymbol(tokens[start + 1], '.') ? start + 2 : start
  return isName(tokens[at]) ? [columnAt(tokens, at)] : []
}

/** What a statement asks of its columns, by the names that it gives to them and to their tables. */
export class SearchTerms {
  readonly #searches = new Map<string, number>()
  readonly #equals = new Map<string, number>()
  readonly #nulls = new Set<string>()

  add(tokens: readonly SqlToken[]): void {
    const chooses = tokens.some(({ keyword }) => keyword === 'OR')
    tokens.forEach((token, index) => {
      if (token.keyword === 'IN') this.#in(tokens, index)
      if (token.keyword === 'IS' || token.keyword === 'ISNULL') this.#is(tokens, index)
      if (!chooses || !isSymbol(token, '=')) return
      for (const name of [...columnsBefore(tokens, index), ...columnsAfter(tokens, index + 1)])
        this.#equals.set(name, (this.#equals.get(name) ?? 0) + 1)
    })
  }

  /**
   * Into how many searches one for a value of a column may turn: IN tries each of its values, and of equations that OR
   * joins SQLite makes an IN as well.
   *
   * @param table - the name by which a plan calls it.
   */
  searches(table: string, column: string): number {
    const most = (counts: ReadonlyMap<string, number>) =>
      Math.max(1, ...names(table, column).map((name) => counts.get(name) ?? 0))
    return most(this.#searches) * most(this.#equals)
  }

  /** Whether rows may be searched for that have no value in a column. */
  findsNull(table: string, column: string): boolean {
    return names(table, column).some((name) => this.#nulls.has(name))
  }

  #in(tokens: readonly SqlToken[], at: number): void {
    if (tokens[at - 1]?.keyword === 'NOT') return
    for (const name of columnsBefore(tokens, at))
      this.#searches.set(name, (this.#searches.get(name) ?? 0) + valuesOf(tokens, at + 1))
  }

  #is(tokens: readonly SqlToken[], at: number): void {
    const not = tokens[at + 1]?.keyword === 'NOT'
    if (not && tokens[at + 2]?.keyword === 'NULL') return
    const from = tokens.findIndex(({ keyword }, index) => index > at && keyword === 'FROM')
    const behind = tokens[at + (not ? 2 : 1)]?.keyword === 'DISTINCT' && from > 0 ? from + 1 : at + (not ? 2 : 1)
    for (const name of [...columnsBefore(tokens, at), ...columnsAfter(tokens, behind)]) this.#nulls.add(name)
  }
}

/** How a statement may write a column: with the table's name or without. */
const names = (table: string, column: string): readonly string[] => [
  foldName(`.${column}`),
  foldName(`${table}.${column}`),
]
