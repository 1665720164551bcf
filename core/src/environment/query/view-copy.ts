import { isSymbol, type SqlToken, sqlTokens } from '../sqlite/sql-text.ts'
import { nameOf } from './query-text.ts'

/** Words behind which a table stands, and those after which tables are listed no longer. */
const beforeTable = new Set(['FROM', 'JOIN', 'VIEW'])
const afterTables = new Set('SELECT WHERE GROUP HAVING ORDER LIMIT WINDOW UNION EXCEPT INTERSECT'.split(' '))

/** Finds, from the first token on, whether a table, or the name of its database, may stand at the next. */
class TablePlaces {
  /** For each open bracket, whether tables are listed in it. */
  readonly #listed = [false]
  #expected = false
  #before = ''

  /** Whether a table may stand at a token, which follows those that were passed before. */
  pass(token: SqlToken): boolean {
    const here = this.#expected
    this.#expected = this.#expectsAfter(token, here)
    this.#before = token.keyword
    return here
  }

  #expectsAfter(token: SqlToken, here: boolean): boolean {
    // IS DISTINCT FROM compares; no SELECT DISTINCT goes without columns.
    if (this.#before === 'DISTINCT' && token.keyword === 'FROM') return false
    const innermost = this.#listed.length - 1
    const listed = this.#listed[innermost] === true
    if (isSymbol(token, '(')) {
      this.#listed.push(here)
      return here
    }
    if (isSymbol(token, ')')) this.#listed.length = Math.max(1, innermost)
    else if (token.keyword === 'FROM') this.#listed[innermost] = true
    else if (afterTables.has(token.keyword)) this.#listed[innermost] = false
    return beforeTable.has(token.keyword) || (listed && isSymbol(token, ','))
  }
}

/**
 * A view of the world's own, as SQLite stored it, to be made once more on top of other views: without `main.`, which would
 * pass by them, where that names the database. It may also be what the view calls one of its tables.
 */
export function viewCopy(sql: string): string {
  const tokens = sqlTokens(sql)
  const created = tokens.findIndex(({ keyword }) => keyword === 'VIEW')
  const places = new TablePlaces()
  let copy = 'CREATE TEMP VIEW'
  let end = tokens[created]?.end ?? 0
  tokens.forEach((token, index) => {
    // Behind IN a table needs no bracket, and a column does.
    const table = places.pass(token) || tokens[index - 1]?.keyword === 'IN'
    const dot = tokens[index + 1]
    if (nameOf(token) !== 'main' || dot === undefined || !isSymbol(dot, '.')) return
    const column = isSymbol(tokens[index + 3], '.')
    if (!table && !column) return
    copy += sql.slice(end, token.start)
    end = dot.end
  })
  return copy + sql.slice(end)
}
