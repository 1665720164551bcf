import { foldName, isSymbol, type SqlToken } from '../sqlite/sql-text.ts'

/** Copies of one column that a generated one may come to: SQLite writes each of them out before it runs anything. */
const mostCopies = 4_096

/** A token as a name: SQLite also takes texts for names of columns. */
const nameOf = ({ kind, text }: SqlToken): string => foldName(kind === 'string' ? text.slice(1, -1) : text)

/** What stands between a table's outermost brackets, by its commas. */
function definitions(tokens: readonly SqlToken[]): SqlToken[][] {
  const parts: SqlToken[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isSymbol(token, ')')) depth--
    if (depth === 1 && isSymbol(token, ',')) parts.push([])
    else if (depth > 0) parts.at(-1)?.push(token)
    if (isSymbol(token, '(')) depth++
  }
  return parts
}

/** How often each name stands in the expression of every generated column. */
function namedBy(tokens: readonly SqlToken[]): Map<string, Map<string, number>> {
  const generated = new Map<string, Map<string, number>>()
  for (const [column, ...rest] of definitions(tokens)) {
    const start = rest.findIndex(({ keyword }, index) => keyword === 'AS' && isSymbol(rest[index + 1], '('))
    if (column === undefined || start < 0) continue
    const names = new Map<string, number>()
    for (const token of rest.slice(start + 1))
      if (token.kind === 'word' || token.kind === 'quoted')
        names.set(nameOf(token), (names.get(nameOf(token)) ?? 0) + 1)
    generated.set(nameOf(column), names)
  }
  return generated
}

/** Copies of each name that a column comes to; one that is being looked at counts nothing, for SQLite refuses loops. */
function copiesOf(
  column: string,
  generated: ReadonlyMap<string, ReadonlyMap<string, number>>,
  known: Map<string, ReadonlyMap<string, number>>,
): ReadonlyMap<string, number> {
  const found = known.get(column)
  if (found !== undefined) return found
  known.set(column, new Map())
  const copies = new Map<string, number>()
  for (const [name, times] of generated.get(column) ?? []) {
    copies.set(name, (copies.get(name) ?? 0) + times)
    for (const [inner, count] of copiesOf(name, generated, known))
      copies.set(inner, (copies.get(inner) ?? 0) + times * count)
  }
  known.set(column, copies)
  return copies
}

/** Why a CREATE TABLE may not have its generated columns; null when it may. Found before SQLite sees it. */
export function generatedColumnFault(tokens: readonly SqlToken[]): string | null {
  if (tokens[0]?.keyword !== 'CREATE' || tokens[1]?.keyword !== 'TABLE') return null
  const generated = namedBy(tokens)
  const known = new Map<string, ReadonlyMap<string, number>>()
  for (const column of generated.keys()) {
    for (const [name, copies] of copiesOf(column, generated, known))
      if (copies > mostCopies)
        return `its generated column ${column} comes to ${copies} copies of ${name}, at most ${mostCopies} are allowed; store what others are generated from`
  }
  return null
}
