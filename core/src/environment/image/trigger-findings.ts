import type Database from 'better-sqlite3'
import { type SqlToken, sqlTokens } from '../sqlite/sql-text.ts'
import { StatementVetter } from '../sqlite/statement-vetting.ts'
import { readTables } from '../sqlite/table-info.ts'

/** Rows that every table is taken to have: a trigger is looked at before there are any. */
const assumedRows = 100

const isSymbol = (token: SqlToken | undefined, text: string): boolean => token?.kind === 'symbol' && token.text === text

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

/** The statements between a trigger's BEGIN and END. */
function bodyStatements(sql: string): string[] {
  const tokens = sqlTokens(sql)
  const begin = tokens.findIndex((token) => token.keyword === 'BEGIN')
  const statements: string[] = []
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

/**
 * What the triggers of a schema may not do. EXPLAIN of a statement does not show the plans of the triggers it fires, so
 * each trigger's own statements are looked at instead.
 */
export function triggerFindings(database: Database.Database): string[] {
  const triggers = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all() as readonly {
    readonly name: string
    readonly sql: string
  }[]
  if (triggers.length === 0) return []
  const vetter = new StatementVetter(database, readTables(database), () => assumedRows)
  return triggers.flatMap(({ name, sql }) =>
    bodyStatements(sql).flatMap((statement) => {
      const vetting = vetter.vet(statement)
      return vetting.ok ? [] : vetting.faults.map((fault) => `trigger ${name}: "${statement}" ${fault}`)
    }),
  )
}
