import { behindBracket, isName } from './select-parts.ts'
import { foldName, isSymbol, type SqlToken } from './sql-text.ts'

/** Whether a query follows an AS, as in a WITH. */
export function opensQuery(tokens: readonly SqlToken[], as: number): boolean {
  const next = tokens[as + 1]
  return tokens[as]?.keyword === 'AS' && (isSymbol(next, '(') || /^(?:NOT|MATERIALIZED)$/.test(next?.keyword ?? ''))
}

/** Where the bracket opens that closes before an AS; -1 when none does. */
function columnsBefore(tokens: readonly SqlToken[], as: number): number {
  if (!isSymbol(tokens[as - 1], ')')) return -1
  let open = as - 1
  while (open > 0 && !isSymbol(tokens[open], '(')) open--
  return open
}

/** Where the name stands that an AS is for, before a list of columns in brackets, if there is one. */
export function nameBefore(tokens: readonly SqlToken[], as: number): number {
  const open = columnsBefore(tokens, as)
  return (open < 0 ? as : open) - 1
}

/** The columns that are named in brackets before an AS, folded; null where none are. */
export function namedColumns(tokens: readonly SqlToken[], as: number): readonly string[] | null {
  const open = columnsBefore(tokens, as)
  if (open < 0) return null
  return tokens.slice(open + 1, as - 1).flatMap((token) => (isSymbol(token, ',') ? [] : [foldName(token.text)]))
}

/** Names, folded, of the queries that a WITH declares. */
export function declaredQueries(tokens: readonly SqlToken[]): Set<string> {
  const declared = new Set<string>()
  for (let as = 1; as < tokens.length; as++) {
    const name = opensQuery(tokens, as) ? tokens[nameBefore(tokens, as)] : undefined
    if (isName(name)) declared.add(foldName(name.text))
  }
  return declared
}

/** The name, folded, that is given to what ends at a place. */
export function aliasAfter(tokens: readonly SqlToken[], end: number): string | undefined {
  const next = tokens[end + 1]?.keyword === 'AS' ? tokens[end + 2] : tokens[end + 1]
  return isName(next) ? foldName(next.text) : undefined
}

/** The tokens inside the bracket that opens at a place. */
export const inBracket = (tokens: readonly SqlToken[], open: number): readonly SqlToken[] =>
  tokens.slice(open + 1, behindBracket(tokens, open) - 1)
