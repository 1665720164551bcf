import type Database from 'better-sqlite3'
import { admittedFunctions } from '../sqlite/admitted-sql.ts'
import { functionWork, joinsRows } from '../sqlite/function-work.ts'
import { foldName, isSymbol, type SqlToken, sqlTokens } from '../sqlite/sql-text.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import type { TableInfo } from '../sqlite/table-info.ts'

interface StoredObject {
  readonly type: string
  readonly name: string
  readonly tokens: readonly SqlToken[]
}

/** Length of the arguments for which functions are asked whether they return something longer. */
const given = 1_000

function lengthens(name: string): boolean {
  if (!admittedFunctions.has(name)) return false
  return joinsRows.has(name) || functionWork(name).length([given, given, given]) > given
}

const isName = ({ kind }: SqlToken): boolean => kind === 'word' || kind === 'quoted'

/** Whether SQL makes texts that are longer than each of those that it makes them of: `||`, replace(), group_concat(). */
function makesLonger(tokens: readonly SqlToken[]): boolean {
  return tokens.some((token, at) => {
    const next = tokens[at + 1]
    if (isSymbol(token, '|')) return isSymbol(next, '|')
    return isName(token) && isSymbol(next, '(') && lengthens(foldName(token.text))
  })
}

const namesIn = (objects: readonly StoredObject[]): ReadonlySet<string> =>
  new Set(objects.flatMap(({ tokens }) => tokens.filter(isName).map(({ text }) => foldName(text))))

/** Tells writes that may leave a longer text than they find or are given, by themselves or by what they set off. */
export class LengtheningWrites {
  readonly #known = new Map<string, boolean>()
  /** Whether definitions and triggers of a table make longer texts, by its position. */
  readonly #tables: readonly boolean[]
  readonly #views: ReadonlySet<string>

  constructor(database: Database.Database, tables: readonly TableInfo[]) {
    const stored = database.prepare<[], StoredObject & { sql: string | null }>(
      'SELECT type, name, sql FROM sqlite_master',
    )
    const objects = stored.all().map(({ type, name, sql }) => ({ type, name, tokens: sqlTokens(sql ?? '') }))
    const lengthening = objects.filter(({ tokens }) => makesLonger(tokens))
    const named = namesIn(lengthening.filter(({ type }) => type !== 'view'))
    const views = lengthening.some(({ type }) => type === 'view') ? objects.filter(({ type }) => type === 'view') : []
    this.#tables = tables.map(({ name }) => named.has(foldName(name)))
    this.#views = new Set(views.map(({ name }) => foldName(name)))
  }

  has({ sql, writes }: RegisteredStatement): boolean {
    const known = this.#known.get(sql)
    if (known !== undefined) return known
    const tokens = sqlTokens(sql)
    const reads = tokens.some((token) => isName(token) && this.#views.has(foldName(token.text)))
    const found = reads || makesLonger(tokens) || writes.some((table) => this.#tables[table])
    this.#known.set(sql, found)
    return found
  }
}
