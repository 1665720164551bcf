import { admittedStatements, longestSql, refusedTables } from './admitted-sql.ts'
import type { SqlToken } from './sql-text.ts'

/** What is wrong with a statement's text; found before SQLite sees it. */
export function textFaults(sql: string, tokens: readonly SqlToken[]): string[] {
  const faults: string[] = []
  if (sql.length > longestSql) faults.push(`is ${sql.length} characters long, at most ${longestSql} are allowed`)
  const [first] = tokens
  if (first === undefined) return ['holds no statement']
  if (!admittedStatements.has(first.keyword)) faults.push(`starts with ${first.text}, which is not allowed`)
  for (const token of tokens) {
    if (token.kind === 'parameter' && sql[token.start] !== '@')
      faults.push(`has a parameter not written as @name: ${sql.slice(token.start, token.end)}`)
    if ((token.kind === 'word' || token.kind === 'quoted') && refusedTables.test(token.text))
      faults.push(`names ${token.text}`)
  }
  return faults
}

/** Whether a statement updates the row that it cannot insert. */
export function isUpsert(tokens: readonly SqlToken[]): boolean {
  return tokens.some(({ keyword }, index) => keyword === 'DO' && tokens[index + 1]?.keyword === 'UPDATE')
}
