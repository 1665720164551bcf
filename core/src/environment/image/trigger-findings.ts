import type Database from 'better-sqlite3'
import { StatementVetter } from '../sqlite/statement-vetting.ts'
import { readTables } from '../sqlite/table-info.ts'
import { comparingStatements } from '../sqlite/trigger-statements.ts'

/** Rows that every table is taken to have: a trigger is looked at before there are any. */
const assumedRows = 100

/** Row visits that a trigger's statement may come to with so many, each time that it fires. */
const mostVisits = 20_000

/**
 * What the triggers of a schema may not do. EXPLAIN of a statement does not show the plans of the triggers it fires, so
 * each trigger's own statements are looked at instead.
 */
export function triggerFindings(database: Database.Database): string[] {
  const triggers = database
    .prepare("SELECT name, tbl_name AS owner, sql FROM sqlite_master WHERE type = 'trigger'")
    .all() as readonly {
    readonly name: string
    readonly owner: string
    readonly sql: string
  }[]
  if (triggers.length === 0) return []
  const tables = readTables(database)
  const vetter = new StatementVetter(database, tables, () => assumedRows)
  return triggers.flatMap(({ name, owner, sql }) =>
    comparingStatements(database, { sql, owner }, tables).flatMap((statement) => {
      const vetting = vetter.vet(statement)
      const told = (fault: string) => `trigger ${name}: "${statement}" ${fault}`
      if (!vetting.ok) return vetting.faults.map(told)
      if (vetting.statement.visits <= mostVisits) return []
      return [
        told(
          `may visit ${vetting.statement.visits.toExponential(1)} rows each time it fires, at most ${mostVisits} are allowed`,
        ),
      ]
    }),
  )
}
