import { foldName, isSymbol, type SqlToken } from './sql-text.ts'
import { windowFaults } from './window-faults.ts'

/** One SELECT with what stands in its parentheses. */
interface Query {
  /** How often each column is named, by the part between two set operators. */
  readonly parts: Map<string, number>[]
  readonly inner: Query[]
  /** Whether it names queries of its own, which build on each other. */
  chained: boolean
  aggregates: boolean
  /** Largest repetition of the views that it reads. */
  views: number
}

/** Copies of one column that nested queries may come to: SQLite writes each of them out before it runs anything. */
const mostRepetitions = 4_096

/** Functions whose result is longer than their argument, and how often a statement may call them. */
const growing = new Set(['HEX', 'QUOTE', 'JSON_QUOTE', 'UNISTR_QUOTE'])
const mostGrowing = 4

/** Functions that join the texts of many rows, and in how many queries of a statement they may do so. */
const joining = new Set(['GROUP_CONCAT', 'STRING_AGG', 'JSON_GROUP_ARRAY', 'JSON_GROUP_OBJECT'])
const mostJoining = 3

const setOperators = new Set(['UNION', 'EXCEPT', 'INTERSECT'])
const queryStarts = new Set(['SELECT', 'WITH', 'VALUES'])
const keywords = new Set(
  `ALL AND AS ASC BETWEEN BY CASE CAST COLLATE CROSS DESC DISTINCT ELSE END ESCAPE EXISTS FROM FULL GLOB GROUP HAVING IN
   INNER INSERT INTEGER INTO IS ISNULL JOIN LEFT LIKE LIMIT MATCH NOCASE NOT NOTNULL NULL OFFSET ON OR ORDER OUTER OVER
   PARTITION REAL RIGHT SELECT SET TEXT THEN UPDATE USING VALUES WHEN WHERE WITH`.split(/\s+/),
)

const newQuery = (): Query => ({ parts: [new Map()], inner: [], chained: false, aggregates: false, views: 1 })

class QueryTree {
  readonly #tokens: readonly SqlToken[]
  readonly #views: ReadonlyMap<string, number>
  readonly root = newQuery()
  growing = 0

  constructor(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>) {
    this.#tokens = tokens
    this.#views = views
    const open: Query[] = [this.root]
    tokens.forEach((token, index) => {
      const current = open.at(-1) ?? this.root
      if (isSymbol(token, '('))
        open.push(queryStarts.has(tokens[index + 1]?.keyword ?? '') ? this.#enter(current) : current)
      else if (isSymbol(token, ')')) open.pop()
      else if (token.kind === 'word' || token.kind === 'quoted') this.#note(current, token, index)
    })
  }

  #enter(outer: Query): Query {
    const query = newQuery()
    outer.inner.push(query)
    return query
  }

  #note(query: Query, token: SqlToken, index: number): void {
    if (setOperators.has(token.keyword)) query.parts.push(new Map())
    if (token.keyword === 'WITH') query.chained = true
    if (isSymbol(this.#tokens[index + 1], '(')) {
      if (growing.has(token.keyword)) this.growing++
      if (joining.has(token.keyword)) query.aggregates = true
      return
    }
    query.views = Math.max(query.views, this.#views.get(foldName(token.text)) ?? 1)
    if (keywords.has(token.keyword) || isSymbol(this.#tokens[index + 1], '.')) return
    if (this.#tokens[index - 1]?.keyword === 'AS') return
    const owner = isSymbol(this.#tokens[index - 1], '.') ? `${this.#tokens[index - 2]?.text}.` : ''
    const column = foldName(`${owner}${token.text}`)
    const part = query.parts.at(-1)
    part?.set(column, (part.get(column) ?? 0) + 1)
  }
}

function repetitions({ parts, inner, chained, views }: Query): number {
  const own = Math.max(1, ...parts.flatMap((part) => [...part.values()]))
  const within = inner.map(repetitions)
  const deepest = chained ? within.reduce((product, one) => product * one, 1) : Math.max(1, ...within)
  return own * deepest * views
}

function joiningQueries({ inner, aggregates }: Query): number {
  return inner.reduce((sum, query) => sum + joiningQueries(query), aggregates ? 1 : 0)
}

/**
 * How many copies of one column a query may come to when the queries that it is built from are written into each other.
 *
 * @param views - the same of the views that it may read, by name in lower case.
 */
export function columnRepetitions(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>): number {
  return repetitions(new QueryTree(tokens, views).root)
}

/** What makes a statement's texts, or the statement itself, grow beyond measure; found before SQLite sees it. */
export function growthFaults(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>): string[] {
  const tree = new QueryTree(tokens, views)
  const faults: string[] = []
  const copies = repetitions(tree.root)
  if (copies > mostRepetitions)
    faults.push(
      `may come to ${copies} copies of one column through its nested queries, at most ${mostRepetitions} are allowed`,
    )
  if (tree.growing > mostGrowing)
    faults.push(`calls hex() or quote() ${tree.growing} times, at most ${mostGrowing} are allowed`)
  const joined = joiningQueries(tree.root)
  if (joined > mostJoining)
    faults.push(`joins texts of many rows in ${joined} queries, at most ${mostJoining} are allowed`)
  return [...faults, ...windowFaults(tokens)]
}
