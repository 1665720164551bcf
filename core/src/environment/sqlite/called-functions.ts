import { isSymbol, type SqlToken } from './sql-text.ts'

/** Functions that are carried out outside of SQLite, each call of which takes as long as a dozen visits of a row. */
const foreign = new Set('DATE TIME DATETIME JULIANDAY UNIXEPOCH STRFTIME TIMEDIFF REPLACE'.split(' '))

/** Calls that one statement may come to, of those and of all functions. Source: measured, one to two seconds. */
const mostForeignCalls = 1_000_000
const mostCalls = 40_000_000

/** Words that a bracket may follow and that are no functions. */
const keywords = new Set(
  'AND AS BY ELSE EXISTS FROM HAVING IN JOIN LIMIT NOT ON OR OVER SELECT SET THEN UNION USING VALUES WHEN WHERE'.split(
    ' ',
  ),
)

/** Why a statement calls its functions too often; null when it does not. */
export function callsFault(texts: readonly (readonly SqlToken[])[], visits: number): string | null {
  let [calls, others] = [0, 0]
  for (const tokens of texts)
    tokens.forEach(({ kind, keyword }, index) => {
      if (kind !== 'word' || keywords.has(keyword) || !isSymbol(tokens[index + 1], '(')) return
      if (foreign.has(keyword)) others++
      else calls++
    })
  if (visits * others <= mostForeignCalls && visits * calls <= mostCalls) return null
  return `may call its ${others + calls} functions for each of ${visits.toExponential(1)} rows; join on keys, or call fewer`
}
