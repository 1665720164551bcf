import { aliasAfter, inBracket, nameBefore, namedColumns, opensQuery } from './declared-queries.ts'
import { behindBracket, isName, type OutputColumn, type SelectParts, selectParts } from './select-parts.ts'
import { foldName, isSymbol, planWord, type SqlToken } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'

/** What is known of the rows that a named subquery yields. */
interface DerivedQuery {
  /** Columns, folded, no two rows of which are alike; null when there are none to tell. */
  readonly key: ReadonlySet<string> | null
  /** The one table that it reads, and under which names its columns are handed on. */
  readonly table: TableInfo | null
  readonly columns: ReadonlyMap<string, string>
}

/** SQLite gives to what has no name its own text, which no such name can be like. */
const ordinaryName = /^[\p{L}_][\p{L}\p{N}_]*$/u

const unknown: DerivedQuery = { key: null, table: null, columns: new Map() }

const textOf = (tokens: readonly SqlToken[]): string => tokens.map(({ text }) => foldName(text)).join(' ')

/** The column that an expression is: `k`, or the one of `t.k`; undefined for any other. */
function plainColumn(expression: readonly SqlToken[]): { readonly owner: string; readonly column: string } | undefined {
  const [first, dot, second] = expression
  if (expression.length === 1 && isName(first)) return { owner: '', column: foldName(first.text) }
  if (expression.length !== 3 || !isName(first) || !isSymbol(dot, '.') || !isName(second)) return undefined
  return { owner: foldName(first.text), column: foldName(second.text) }
}

function isSameColumn(a: readonly SqlToken[], b: readonly SqlToken[]): boolean {
  const [one, other] = [plainColumn(a), plainColumn(b)]
  if (one === undefined || other === undefined || one.column !== other.column) return false
  return one.owner === other.owner || one.owner === '' || other.owner === ''
}

/**
 * The output that a term of GROUP BY is. A name means a column of what is read before it means an output, so that one
 * counts only where that is a table without such a column.
 */
function groupedOutput(
  term: readonly SqlToken[],
  outputs: readonly OutputColumn[],
  table: TableInfo | null,
): OutputColumn | undefined {
  const [first] = term
  if (term.length === 1 && first?.kind === 'symbol') return outputs[Number(first.text) - 1]
  const same = outputs.find(({ expression }) => isSameColumn(expression, term))
  if (same !== undefined) return same
  const named = plainColumn(term)
  if (named === undefined)
    return term.some(({ keyword }) => keyword === 'RANDOM')
      ? undefined
      : outputs.find(({ expression }) => textOf(expression) === textOf(term))
  const free = table?.columns.every(({ name }) => foldName(name) !== named.column) === true
  return free && named.owner === '' ? outputs.find(({ name }) => name === named.column) : undefined
}

const hints = new Set(['LIKELY', 'UNLIKELY', 'LIKELIHOOD'])

/** Whether SQLite may call an output that is given no name after a column: `(k)`, `k COLLATE NOCASE`, `likely(k)`, a row id. */
function mayBeColumn({ name, expression: [first, second] }: OutputColumn): boolean {
  if (name !== null) return false
  return first?.kind !== 'word' || hints.has(first.keyword) || !isSymbol(second, '(')
}

/** Outputs that surely have their names for themselves: of two that share one, SQLite lets the first keep it. */
function namedFirst(outputs: readonly OutputColumn[]): readonly OutputColumn[] {
  const unsure = outputs.findIndex(mayBeColumn)
  const before = unsure < 0 ? outputs : outputs.slice(0, unsure)
  return before.filter(({ name }, at) => before.findIndex((other) => other.name === name) === at)
}

function keyOf({ distinct, outputs, groups }: SelectParts, table: TableInfo | null): ReadonlySet<string> | null {
  const keys = groups?.map((term) => groupedOutput(term, outputs, table)) ?? (distinct ? outputs : null)
  const first = namedFirst(outputs)
  const names = keys?.map((output) => (output !== undefined && first.includes(output) ? (output.name ?? '') : '')) ?? []
  return names.length > 0 && names.every((name) => ordinaryName.test(name)) ? new Set(names) : null
}

const isStar = (expression: readonly SqlToken[]): boolean =>
  isSymbol(expression.at(-1), '*') && (expression.length === 1 || isSymbol(expression.at(-2), '.'))

/** Names that an output goes by, each with the column of the table that it is, if it is one. */
function handed(
  { name, expression }: OutputColumn,
  table: TableInfo,
): readonly (readonly [string, string | undefined])[] {
  if (isStar(expression)) return table.columns.map((column) => [foldName(column.name), column.name])
  const plain = plainColumn(expression)?.column
  const column = table.columns.find((column) => foldName(column.name) === plain)
  return name === null ? [] : [[name, column?.name]]
}

/** Columns of the table by the names under which they are handed on; of two outputs of a name the first counts. */
function handedOn(outputs: readonly OutputColumn[], table: TableInfo | null): ReadonlyMap<string, string> {
  const names = new Map<string, string | undefined>()
  const unsure = outputs.findIndex((output) => mayBeColumn(output) && !isStar(output.expression))
  const before = unsure < 0 ? outputs : outputs.slice(0, unsure)
  for (const [name, column] of table === null ? [] : before.flatMap((output) => handed(output, table)))
    if (!names.has(name)) names.set(name, column)
  return new Map([...names].flatMap(([name, column]) => (column === undefined ? [] : [[name, column]])))
}

const beforeTables = new Set(['FROM', 'JOIN'])

/** Whether a bracket holds the arguments of a function, and neither a query nor tables. */
function isCall(tokens: readonly SqlToken[], open: number): boolean {
  const before = tokens[open - 1]
  return isName(before) && !beforeTables.has(before.keyword) && tokens[open + 1]?.keyword !== 'SELECT'
}

function renamed(parts: SelectParts, names: readonly string[] | null): SelectParts | null {
  if (names === null) return parts
  if (names.length !== parts.outputs.length) return null
  return { ...parts, outputs: parts.outputs.map((output, at) => ({ ...output, name: names[at] ?? null })) }
}

/** Subqueries of a statement by the {@link planWord} of the names that it gives to them. */
export class DerivedQueries {
  readonly #tables: ReadonlyMap<string, TableInfo>
  readonly #facts: StoredFacts
  readonly #queries = new Map<string, Set<DerivedQuery>>()

  constructor(tables: readonly TableInfo[], facts: StoredFacts) {
    this.#tables = new Map(tables.map((table) => [foldName(table.name), table]))
    this.#facts = facts
  }

  /**
   * Notes the queries that a text declares and those in brackets that it gives names to.
   *
   * @param declared - names that stand for no table in it.
   */
  add(tokens: readonly SqlToken[], declared: ReadonlySet<string>): void {
    tokens.forEach((token, at) => {
      if (opensQuery(tokens, at)) this.#addDeclared(tokens, at, declared)
      if (isSymbol(token, '(') && !isCall(tokens, at)) this.#addBracket(tokens, at, declared)
    })
    tokens.forEach((token, at) => {
      const known = isName(token) ? this.#queries.get(planWord(token.text)) : undefined
      const alias = known === undefined ? undefined : aliasAfter(tokens, at)
      if (alias !== undefined && known !== undefined) this.#note(alias, ...known)
    })
  }

  /** Notes a view, before the texts that read it. @param names - those of its columns. */
  addView(name: string, body: readonly SqlToken[], names: readonly string[]): void {
    this.#note(name, this.#read(body, names, new Set()))
  }

  #addDeclared(tokens: readonly SqlToken[], as: number, declared: ReadonlySet<string>): void {
    const name = tokens[nameBefore(tokens, as)]
    const open = tokens.findIndex((token, at) => at > as && isSymbol(token, '('))
    if (isName(name))
      this.#note(foldName(name.text), this.#read(inBracket(tokens, open), namedColumns(tokens, as), declared))
  }

  #addBracket(tokens: readonly SqlToken[], open: number, declared: ReadonlySet<string>): void {
    const alias = aliasAfter(tokens, behindBracket(tokens, open) - 1)
    if (alias !== undefined) this.#note(alias, this.#read(inBracket(tokens, open), null, declared))
  }

  #note(name: string, ...queries: readonly DerivedQuery[]): void {
    const word = planWord(name)
    this.#queries.set(word, new Set([...(this.#queries.get(word) ?? []), ...queries]))
  }

  /** The most of its rows that a search for values of some columns finds. */
  hit(name: string, searched: readonly string[], rows: number, collations: ReadonlySet<string>): number {
    const queries = this.#queries.get(name) ?? [unknown]
    return Math.max(...[...queries].map((query) => this.#hitOne(query, searched, rows, collations)))
  }

  #hitOne(
    { key, table, columns }: DerivedQuery,
    searched: readonly string[],
    rows: number,
    collations: ReadonlySet<string>,
  ) {
    if (key !== null && collations.size === 0 && [...key].every((column) => searched.includes(column))) return 1
    const stored = searched.flatMap((column) => columns.get(column) ?? [])
    if (table === null || stored.length === 0) return rows
    return Math.min(rows, this.#facts.largestGroup(table, stored, collations))
  }

  #read(body: readonly SqlToken[], names: readonly string[] | null, declared: ReadonlySet<string>): DerivedQuery {
    const own = selectParts(body)
    const parts = own === null ? null : renamed(own, names)
    if (parts === null) return unknown
    const table = this.#onlyTable(parts.from, declared)
    return { key: keyOf(parts, table), table, columns: handedOn(parts.outputs, table) }
  }

  /** The table of `FROM t`, `FROM t AS x` or `FROM t x`. */
  #onlyTable(from: readonly SqlToken[], declared: ReadonlySet<string>): TableInfo | null {
    const [name, ...rest] = from
    const alias = rest[0]?.keyword === 'AS' ? rest.slice(1) : rest
    if (!isName(name) || alias.length > 1 || (alias.length === 1 && !isName(alias[0]))) return null
    const folded = foldName(name.text)
    return declared.has(planWord(name.text)) ? null : (this.#tables.get(folded) ?? null)
  }
}
