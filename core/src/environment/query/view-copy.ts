import { isSymbol, sqlTokens } from '../sqlite/sql-text.ts'
import { nameOf, tablePlaces } from './table-places.ts'

/**
 * A view of the world's own, as SQLite stored it, to be made once more on top of other views: without `main.`, which would
 * pass by them, where that names the database. It may also be what the view calls one of its tables.
 */
export function viewCopy(sql: string): string {
  const tokens = sqlTokens(sql)
  const created = tokens.findIndex(({ keyword }) => keyword === 'VIEW')
  const places = tablePlaces(tokens)
  let copy = 'CREATE TEMP VIEW'
  let end = tokens[created]?.end ?? 0
  tokens.forEach((token, index) => {
    const dot = tokens[index + 1]
    if (nameOf(token) !== 'main' || dot === undefined || !isSymbol(dot, '.')) return
    const column = isSymbol(tokens[index + 3], '.')
    if (places[index] !== true && !column) return
    copy += sql.slice(end, token.start)
    end = dot.end
  })
  return copy + sql.slice(end)
}
