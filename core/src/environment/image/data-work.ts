import type Database from 'better-sqlite3'
import type { SqlStatement } from '../sqlite/sql-text.ts'
import { StatementVetter, type Vetting } from '../sqlite/statement-vetting.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import { readTables, type TableInfo } from '../sqlite/table-info.ts'

/** After how many statements, and rows that changed, the tables are looked at anew. */
const mostStatements = 64
const mostChanges = 64

/** After a statement that may have visited more rows, too. */
const mostVisits = 1_000

const readingWords = new Set(['SELECT', 'WITH', 'FROM'])

/**
 * Looks at statements that read other rows before they run, for nothing can stop them afterwards. To count the rows of
 * all tables takes longer than a statement: what has changed since the last count is added to each table's instead.
 */
export class DataWork {
  readonly #database: Database.Database
  readonly #tables: readonly TableInfo[]
  readonly #changes: Database.Statement<[], number>
  #vetter: StatementVetter | null = null
  #statements = 0
  /** Changes that the connection had made at the last count, and since then. */
  #counted = 0
  #added = 0

  /** @param database - with its whole schema. */
  constructor(database: Database.Database) {
    this.#database = database
    this.#tables = readTables(database)
    this.#changes = database.prepare<[], number>('SELECT total_changes()').pluck()
  }

  /** Why a statement may not run; null when it may. */
  fault({ sql, tokens }: SqlStatement): string | null {
    if (!tokens.some(({ keyword }) => readingWords.has(keyword))) return null
    const changes = this.#changes.get() ?? 0
    this.#added = changes - this.#counted
    if (this.#added > mostChanges || ++this.#statements > mostStatements) this.#vetter = null
    const known = this.#vetter?.vet(sql)
    const vetting: Vetting = known?.ok ? known : this.#renewed(changes).vet(sql)
    if (!vetting.ok) return vetting.faults.join('; ')
    if (vetting.statement.visits > mostVisits) this.#vetter = null
    return null
  }

  #renewed(changes: number): StatementVetter {
    const rowCount = storedRowCount(this.#database)
    this.#statements = 0
    this.#counted = changes
    this.#added = 0
    this.#vetter = new StatementVetter(this.#database, this.#tables, (table) => rowCount(table) + this.#added)
    return this.#vetter
  }
}
