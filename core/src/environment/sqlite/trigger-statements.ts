import type Database from 'better-sqlite3'
import { isName } from './select-parts.ts'
import { foldName, isSymbol, quoteName, type SqlToken, sqlTokens } from './sql-text.ts'
import type { TableInfo } from './table-info.ts'

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

/**
 * What stands for a column of the row that a trigger is for, where its statements are looked at alone.
 *
 * @param decides - whether a comparison may go by the column's collation.
 */
type StandIn = (column: string, decides: boolean) => string

const parameter: StandIn = () => '@row'
const binary = 'BINARY'

/** Operators before and behind what is calculated with; a sign of plus before it alone leaves its collation as it is. */
const calculatedBefore = /^[|\-*/%]$/
const calculatedBehind = /^[|+\-*/%]$/
const compares = /^[=<>]$/

/**
 * Whether `NEW.column` at a place may decide by which collation it is compared: not where something is calculated from it,
 * nor behind a column that it is compared with. Source: sqlite.org/datatype3.html, section 7.1.
 */
function decides(tokens: readonly SqlToken[], at: number): boolean {
  const [left, right] = [tokens[at - 1], tokens[at + 3]]
  const calculated = (token: SqlToken | undefined, operators: RegExp) =>
    token?.kind === 'symbol' && operators.test(token.text)
  if (calculated(left, calculatedBefore) || calculated(right, calculatedBehind)) return false
  return !(left?.kind === 'symbol' && compares.test(left.text) && isName(tokens[at - 2]))
}

/** A statement of a trigger's body as one that can be looked at alone: what only a trigger knows becomes a parameter. */
function standAlone(sql: string, tokens: readonly SqlToken[], standIn: StandIn): string {
  const parts: string[] = []
  let copied = tokens[0]?.start ?? 0
  for (let at = 0; at < tokens.length; at++) {
    const length = triggerOnly(tokens, at)
    if (length === 0) continue
    const column = length === 3 && isSymbol(tokens[at + 1], '.') ? tokens[at + 2]?.text : undefined
    parts.push(
      sql.slice(copied, tokens[at]?.start),
      column === undefined ? '@row' : standIn(column, decides(tokens, at)),
    )
    at += length - 1
    copied = tokens[at]?.end ?? copied
  }
  return parts.join('') + sql.slice(copied, tokens.at(-1)?.end)
}

/** The statements between a trigger's BEGIN and END, and before them one that asks what its WHEN asks. */
export const triggerStatements = (sql: string): string[] => statementsWith(sql, parameter)

/** The same, with columns that compare as those of the trigger's own table or view do. */
export function comparingStatements(
  database: Database.Database,
  trigger: { readonly sql: string; readonly owner: string },
  tables: readonly TableInfo[],
): string[] {
  const table = tables.find(({ name }) => foldName(name) === foldName(trigger.owner))
  const keys = new Set(['rowid', '_rowid_', 'oid'])
  for (const { name } of table?.columns ?? []) keys.delete(foldName(name))
  if (table?.keyIsRowid === true) keys.add(foldName(table.primaryKey[0] ?? ''))
  return statementsWith(trigger.sql, (column, decides) => {
    if (keys.has(foldName(column))) return 'CAST(@row AS INTEGER)'
    const collation = table === undefined ? collationAnywhere(database) : collationOf(database, table, column)
    return collation === binary || !decides ? '@row' : `@row COLLATE ${quoteName(collation)}`
  })
}

/** By which a column compares, as EXPLAIN tells of a comparison: `BINARY-8`. */
function collationOf(database: Database.Database, table: TableInfo, column: string): string {
  const known = table.columns.find(({ name }) => foldName(name) === foldName(column))
  if (known === undefined) return binary
  const sql = `EXPLAIN SELECT ${quoteName(known.name)} = @row FROM main.${quoteName(table.name)}`
  const opcodes = database.prepare(sql).all({ row: null }) as readonly {
    readonly opcode: string
    readonly p4: unknown
  }[]
  const compared = opcodes.find(({ opcode, p4 }) => opcode === 'Eq' && typeof p4 === 'string')
  return /^(\w+)-\d+$/.exec(String(compared?.p4 ?? ''))?.[1] ?? binary
}

/** A column of a view may compare as that of any table does. */
function collationAnywhere(database: Database.Database): string {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE sql LIKE '%NOCASE%'").get()
  return found === undefined ? binary : 'NOCASE'
}

function statementsWith(sql: string, standIn: StandIn): string[] {
  const tokens = sqlTokens(sql)
  const begin = tokens.findIndex((token) => token.keyword === 'BEGIN')
  const when = tokens.slice(0, begin).findIndex((token) => token.keyword === 'WHEN')
  const statements = when < 0 ? [] : [`SELECT 1 WHERE ${standAlone(sql, tokens.slice(when + 1, begin), standIn)}`]
  let pending: SqlToken[] = []
  for (const token of tokens.slice(begin + 1)) {
    if (!isSymbol(token, ';')) pending.push(token)
    else {
      statements.push(standAlone(sql, pending, standIn))
      pending = []
    }
  }
  return statements
}
