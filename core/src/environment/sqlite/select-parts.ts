import { foldName, isSymbol, type SqlToken } from './sql-text.ts'

/** One column that a query yields. */
export interface OutputColumn {
  /** Folded; null where the query gives no name. */
  readonly name: string | null
  readonly expression: readonly SqlToken[]
}

/** What a single SELECT says, as far as the rows that it yields can be told from it. */
export interface SelectParts {
  readonly distinct: boolean
  readonly outputs: readonly OutputColumn[]
  readonly from: readonly SqlToken[]
  /** Null without a GROUP BY. */
  readonly groups: readonly (readonly SqlToken[])[] | null
}

const clauses = new Set(['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT'])
const setOperators = new Set(['UNION', 'EXCEPT', 'INTERSECT'])

export const isName = (token: SqlToken | undefined): token is SqlToken & { readonly kind: 'word' | 'quoted' } =>
  token?.kind === 'word' || token?.kind === 'quoted'

/** The place behind the bracket that closes the one at a place. */
export function behindBracket(tokens: readonly SqlToken[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) depth++
    if (isSymbol(tokens[at], ')') && --depth === 0) return at + 1
  }
  return tokens.length
}

/** Whether a word begins a clause: FROM stands in IS DISTINCT FROM as well, and a column may be called WINDOW. */
function beginsClause(tokens: readonly SqlToken[], at: number): boolean {
  const keyword = tokens[at]?.keyword ?? ''
  if (keyword === 'FROM') return tokens[at - 1]?.keyword !== 'DISTINCT'
  if (keyword === 'WINDOW') return tokens[at + 2]?.keyword === 'AS' && isSymbol(tokens[at + 3], '(')
  return clauses.has(keyword)
}

/** Clauses by their first word, each without it; null for what is not one SELECT. */
function clausesOf(tokens: readonly SqlToken[]): ReadonlyMap<string, readonly SqlToken[]> | null {
  if (tokens[0]?.keyword !== 'SELECT') return null
  const found = new Map<string, SqlToken[]>([['SELECT', []]])
  let current = 'SELECT'
  let depth = 0
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at] as SqlToken
    if (depth === 0 && setOperators.has(token.keyword)) return null
    if (depth === 0 && beginsClause(tokens, at)) {
      current = token.keyword
      found.set(current, [])
      continue
    }
    if (isSymbol(token, '(')) depth++
    if (isSymbol(token, ')')) depth--
    found.get(current)?.push(token)
  }
  return found
}

/** Parts between the commas that stand in no bracket. */
function listOf(tokens: readonly SqlToken[]): SqlToken[][] {
  const parts: SqlToken[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isSymbol(token, '(')) depth++
    if (isSymbol(token, ')')) depth--
    if (depth === 0 && isSymbol(token, ',')) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** Columns that SQLite hands on under another name. */
const rowids = new Set(['rowid', '_rowid_', 'oid'])

/** Whether an expression may end before the last token of an output, so that the last is its name. */
function precedesName(tokens: readonly SqlToken[]): boolean {
  const before = tokens.at(-2)
  if (isName(before)) return tokens.length === 2 || (tokens.length === 4 && isSymbol(tokens[1], '.'))
  return before !== undefined && (before.kind !== 'symbol' || /^(?:\)|[.]?\d)/.test(before.text))
}

function outputOf(tokens: readonly SqlToken[]): OutputColumn {
  const last = tokens.at(-1)
  if (!isName(last)) return { name: null, expression: tokens }
  const name = foldName(last.text)
  if (tokens.at(-2)?.keyword === 'AS') return { name, expression: tokens.slice(0, -2) }
  if (precedesName(tokens)) return { name, expression: tokens.slice(0, -1) }
  const plain = tokens.length === 1 || (tokens.length === 3 && isSymbol(tokens[1], '.'))
  return { name: plain && !rowids.has(name) ? name : null, expression: tokens }
}

/** The parts of a query; null for one that joins several by UNION and the like, or that begins with WITH or VALUES. */
export function selectParts(tokens: readonly SqlToken[]): SelectParts | null {
  const found = clausesOf(tokens)
  if (found === null) return null
  const [head, ...rest] = found.get('SELECT') ?? []
  const distinct = head?.keyword === 'DISTINCT'
  const selected = distinct || head?.keyword === 'ALL' ? rest : head === undefined ? [] : [head, ...rest]
  const groups = found.get('GROUP')
  return {
    distinct,
    outputs: listOf(selected).map(outputOf),
    from: found.get('FROM') ?? [],
    groups: groups === undefined ? null : listOf(groups.slice(1)),
  }
}
