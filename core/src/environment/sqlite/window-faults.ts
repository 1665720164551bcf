import { behindBracket } from './select-parts.ts'
import { isSymbol, type SqlToken } from './sql-text.ts'

/** Aggregates that begin anew, or copy all that they have gathered, for every row of a window. */
const anewForEachRow = new Set(
  `GROUP_CONCAT STRING_AGG JSON_GROUP_ARRAY JSON_GROUP_OBJECT MEDIAN PERCENTILE PERCENTILE_CONT PERCENTILE_DISC`.split(
    ' ',
  ),
)

function isWindowed(tokens: readonly SqlToken[], name: number): boolean {
  const behind = behindBracket(tokens, name + 1)
  if (tokens[behind]?.keyword === 'OVER') return true
  if (tokens[behind]?.keyword !== 'FILTER' || !isSymbol(tokens[behind + 1], '(')) return false
  return tokens[behindBracket(tokens, behind + 1)]?.keyword === 'OVER'
}

/** Windows whose work grows with the square of their rows: SQLite goes through all of the frame again for each of them. */
export function windowFaults(tokens: readonly SqlToken[]): string[] {
  const faults = new Set<string>()
  const windows = tokens.some(({ keyword }) => keyword === 'OVER' || keyword === 'WINDOW')
  tokens.forEach(({ keyword, text }, index) => {
    if (windows && keyword === 'EXCLUDE') faults.add('excludes rows from a window, which takes the square of its rows')
    if (anewForEachRow.has(keyword) && isSymbol(tokens[index + 1], '(') && isWindowed(tokens, index))
      faults.add(`calls ${text}() over a window, which takes the square of its rows`)
  })
  return [...faults]
}
