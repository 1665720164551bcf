import { inBracket, nameBefore, opensQuery } from '../sqlite/declared-queries.ts'
import { isSymbol, type SqlToken } from '../sqlite/sql-text.ts'
import { nameOf, tablePlaces } from './table-places.ts'

/** Tables that a query may come to; SQLite takes some 20 microseconds to read each of them. */
const mostTables = 1_000

/** The queries that a WITH declares, by name; several may share one. */
function bodiesOf(tokens: readonly SqlToken[]): ReadonlyMap<string, readonly (readonly SqlToken[])[]> {
  const bodies = new Map<string, (readonly SqlToken[])[]>()
  tokens.forEach((_, as) => {
    const named = opensQuery(tokens, as) ? tokens[nameBefore(tokens, as)] : undefined
    if (named === undefined) return
    const open = tokens.findIndex((token, index) => index > as && isSymbol(token, '('))
    const name = nameOf(named)
    bodies.set(name, [...(bodies.get(name) ?? []), inBracket(tokens, open)])
  })
  return bodies
}

/** Names of the tables that a query reads, as often as it writes them, those of queries within it included. */
function tablesOf(tokens: readonly SqlToken[]): readonly string[] {
  const places = tablePlaces(tokens)
  return tokens.flatMap((token, index) => {
    if (places[index] !== true || token.kind === 'symbol') return []
    return [nameOf(isSymbol(tokens[index + 1], '.') ? (tokens[index + 2] ?? token) : token)]
  })
}

/**
 * How many tables a query comes to: SQLite writes each query and view that it names into it, as often as it is named.
 *
 * @param views - how many each view comes to, by folded name.
 */
export function writtenOutTables(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>): number {
  const bodies = bodiesOf(tokens)
  const known = new Map<string, number>()
  const count = (query: readonly SqlToken[]): number => tablesOf(query).reduce((sum, name) => sum + countOf(name), 0)
  const countOf = (name: string): number => {
    const declared = bodies.get(name)
    if (declared === undefined) return views.get(name) ?? 1
    const found = known.get(name)
    if (found !== undefined) return found
    // Holds until it is known. One that names itself is refused for that; of several, one may name another.
    known.set(name, declared.length === 1 ? 1 : Number.POSITIVE_INFINITY)
    known.set(name, 1 + declared.reduce((sum, body) => sum + count(body), 0))
    return known.get(name) as number
  }
  return count(tokens)
}

/** Why a query would take too long to be read. */
export function writtenOutFaults(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>): string[] {
  const tables = writtenOutTables(tokens, views)
  if (tables <= mostTables) return []
  return [
    `comes to ${tables} tables once the queries that it names are written into it, at most ${mostTables} are allowed; name each less often`,
  ]
}
