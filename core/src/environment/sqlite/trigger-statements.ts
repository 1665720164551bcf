import { isSymbol, type SqlToken, sqlTokens } from './sql-text.ts'

/** Length, in tokens, of `NEW.column` or `RAISE (…)` at a position; 0 for anything else. */
function triggerOnly(tokens: readonly SqlToken[], at: number): number {
  const keyword = tokens[at]?.keyword
  if ((keyword === 'NEW' || keyword === 'OLD') && isSymbol(tokens[at + 1], '.')) return 3
  if (keyword !== 'RAISE' || !isSymbol(tokens[at + 1], '(')) return 0
  let depth = 0
  for (let end = at + 1; end < tokens.length; end++) {
    if (isSymbol(tokens[end], '(')) depth++
    if (isSymbol(tokens[end], ')') && --depth === 0) return end - at + 1
  }
  return 0
}

/** A statement of a trigger's body as one that can be looked at alone: what only a trigger knows becomes a parameter. */
function standAlone(sql: string, tokens: readonly SqlToken[]): string {
  const parts: string[] = []
  let copied = tokens[0]?.start ?? 0
  for (let at = 0; at < tokens.length; at++) {
    const length = triggerOnly(tokens, at)
    if (length === 0) continue
    parts.push(sql.slice(copied, tokens[at]?.start), '@row')
    at += length - 1
    copied = tokens[at]?.end ?? copied
  }
  return parts.join('') + sql.slice(copied, tokens.at(-1)?.end)
}

/** The statements between a trigger's BEGIN and END, and before them one that asks what its WHEN asks. */
export function triggerStatements(sql: string): string[] {
  const tokens = sqlTokens(sql)
  const begin = tokens.findIndex((token) => token.keyword === 'BEGIN')
  const when = tokens.slice(0, begin).findIndex((token) => token.keyword === 'WHEN')
  const statements = when < 0 ? [] : [`SELECT 1 WHERE ${standAlone(sql, tokens.slice(when + 1, begin))}`]
  let pending: SqlToken[] = []
  for (const token of tokens.slice(begin + 1)) {
    if (!isSymbol(token, ';')) pending.push(token)
    else {
      statements.push(standAlone(sql, pending))
      pending = []
    }
  }
  return statements
}
