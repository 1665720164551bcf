import { admittedStatements, longestSql, refusedTables } from './admitted-sql.ts'
import { beforeExpression } from './search-words.ts'
import { type SqlToken, sqlTokens } from './sql-text.ts'

/** Words by which a plan says more than a name; in one of the statement's own they would be taken for that. */
const planWords = /\b(?:CONSTANT ROWS?|VIRTUAL TABLE|USING)\b|=\?/

/** Why something may not have a name in quotes. */
export const nameFaults = ({ text }: SqlToken): string[] =>
  planWords.test(text) ? [`has the name ${text}, which could not be told from what a query plan says`] : []

/** What is wrong with a statement's text; found before SQLite sees it. */
export function textFaults(sql: string, tokens: readonly SqlToken[]): string[] {
  const faults: string[] = []
  if (sql.length > longestSql) faults.push(`is ${sql.length} characters long, at most ${longestSql} are allowed`)
  const [first] = tokens
  if (first === undefined) return ['holds no statement']
  if (!admittedStatements.has(first.keyword)) faults.push(`starts with ${first.text}, which is not allowed`)
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'parameter' && sql[token.start] !== '@')
      faults.push(`has a parameter not written as @name: ${sql.slice(token.start, token.end)}`)
    if ((token.kind === 'word' || token.kind === 'quoted') && refusedTables.test(token.text))
      faults.push(`names ${token.text}`)
    if (isAlias(tokens, index)) faults.push(...nameFaults(token))
  }
  return faults
}

/** Whether a statement updates the row that it cannot insert. */
export function isUpsert(tokens: readonly SqlToken[]): boolean {
  return tokens.some(({ keyword }, index) => keyword === 'DO' && tokens[index + 1]?.keyword === 'UPDATE')
}

/** Whether a text in quotes may be a name that the statement gives: not where a value stands, behind an operator or a word. */
function isAlias(tokens: readonly SqlToken[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]]
  if (token?.kind !== 'string') return token?.kind === 'quoted'
  if (before?.kind === 'symbol') return before.text === ')'
  return before !== undefined && !beforeExpression.has(before.keyword)
}

/** What a view selects, from the text that creates it. */
export function viewBody(sql: string | null): readonly SqlToken[] {
  const tokens = sqlTokens(sql ?? '')
  const start = tokens.findIndex(({ keyword }) => keyword === 'SELECT' || keyword === 'WITH' || keyword === 'VALUES')
  return tokens.slice(start)
}
