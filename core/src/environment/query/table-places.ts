import { foldName, isSymbol, type SqlToken } from '../sqlite/sql-text.ts'

/** A token as a name, folded: SQLite also takes texts for names. */
export const nameOf = ({ kind, text }: SqlToken): string => foldName(kind === 'string' ? text.slice(1, -1) : text)

/** Words behind which a table stands, and those after which tables are listed no longer. */
const beforeTable = new Set(['FROM', 'JOIN', 'VIEW'])
const afterTables = new Set('SELECT WHERE GROUP HAVING ORDER LIMIT WINDOW UNION EXCEPT INTERSECT'.split(' '))

/** Goes through a query from its first token on. */
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

/** For each token of a query, whether a table, or the name of its database, may stand there. */
export function tablePlaces(tokens: readonly SqlToken[]): readonly boolean[] {
  const places = new TablePlaces()
  // Behind IN a table stands without brackets, as no column does.
  return tokens.map((token, index) => places.pass(token) || tokens[index - 1]?.keyword === 'IN')
}
