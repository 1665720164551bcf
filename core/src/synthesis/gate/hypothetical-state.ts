import type Database from 'better-sqlite3'
import { DatabaseReader } from '../../environment/database-reader.ts'
import { diffTable, type TableScan } from '../../environment/diff/table-diff.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import { fromCell } from '../../environment/sqlite/cell.ts'
import { Connection } from '../../environment/sqlite/connection.ts'
import { SeededRandom } from '../../environment/sqlite/open-connection.ts'
import { quoteName } from '../../environment/sqlite/sql-text.ts'
import type { TableInfo } from '../../environment/sqlite/table-info.ts'
import { errnoOf } from '../../errors/file-error.ts'
import type { StateReader } from '../../hooks/world.ts'
import type { Row } from '../../vocabulary/database.ts'
import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import { AlteredRows } from './altered-rows.ts'

/** A state that no agent reached, with its diff from the initial one as the database itself sees it. */
export interface HypotheticalState {
  readonly reader: StateReader
  readonly diff: StateDiff
}

/**
 * Puts an environment's database into any state that differs from its initial one by given rows, for verifiers to look
 * at. Neither foreign keys nor checks nor triggers stand in the way. One state at a time.
 */
export class HypotheticalStates {
  readonly #environment: ExecutableEnvironment
  readonly #tables: ReadonlyMap<string, TableInfo>
  #connection: Connection | null = null
  readonly #statements = new Map<string, Database.Statement>()
  readonly #altered: AlteredRows

  constructor(environment: ExecutableEnvironment) {
    this.#environment = environment
    this.#altered = new AlteredRows(environment)
    this.#tables = new Map(environment.image.tables.map((table) => [table.name, table]))
  }

  /** Shows `look` the state; null when the database cannot hold it (a second row with the same unique value, say). */
  async show<T>(diff: StateDiff, look: (state: HypotheticalState) => Promise<T>): Promise<T | null> {
    const connection = this.#open()
    connection.control('BEGIN')
    try {
      if (!this.#apply(connection, diff)) return null
      const { catalog, registry } = this.#environment
      const reader = new DatabaseReader(catalog, registry, () => connection)
      return await look({ reader, diff: this.#diffOf(connection, diff) })
    } finally {
      if (connection === this.#connection) connection.control('ROLLBACK')
    }
  }

  /** Also gives up a state that a verifier may be holding for ever; the next one gets a connection of its own. */
  close(): void {
    const connection = this.#connection
    this.#connection = null
    this.#statements.clear()
    connection?.close()
  }

  #open(): Connection {
    if (this.#connection !== null) return this.#connection
    const { bytes, clock } = this.#environment.image
    const connection = new Connection(bytes, clock, new SeededRandom(0))
    connection.database.pragma('foreign_keys = OFF')
    connection.database.pragma('ignore_check_constraints = ON')
    const triggers = connection.database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()
    for (const name of triggers) connection.database.prepare(`DROP TRIGGER ${quoteName(String(name))}`).run()
    this.#connection = connection
    return connection
  }

  #apply(connection: Connection, diff: StateDiff): boolean {
    try {
      for (const change of diff) if (change.kind !== 'insert') this.#remove(connection, change)
      for (const change of diff) if (change.kind !== 'delete') this.#insert(connection, change)
      return true
    } catch (cause) {
      if (errnoOf(cause)?.startsWith('SQLITE_CONSTRAINT')) return false
      throw cause
    }
  }

  #remove(connection: Connection, { table, key }: RowChange): void {
    const names = Object.keys(key)
    const where = names.map((name) => `${quoteName(name)} IS ?`).join(' AND ')
    const sql = `DELETE FROM main.${quoteName(table)} WHERE ${where}`
    this.#prepared(connection, sql).run(names.map((name) => fromCell(key[name] ?? null)))
  }

  #insert(connection: Connection, { table, key, after }: Exclude<RowChange, { kind: 'delete' }>): void {
    const generated = this.#tables.get(table)?.columns.filter((column) => column.generated) ?? []
    const row: Row = { ...key, ...after }
    const names = Object.keys(row).filter((name) => !generated.some((column) => column.name === name))
    const sql = `INSERT INTO main.${quoteName(table)} (${names.map(quoteName).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    this.#prepared(connection, sql).run(names.map((name) => fromCell(row[name] ?? null)))
  }

  #prepared(connection: Connection, sql: string): Database.Statement {
    const known = this.#statements.get(sql) ?? connection.database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #diffOf(connection: Connection, diff: StateDiff): StateDiff {
    const byTable = new Map<string, RowChange[]>()
    for (const change of diff) {
      const known = byTable.get(change.table)
      if (known === undefined) byTable.set(change.table, [change])
      else known.push(change)
    }
    return this.#environment.scans.flatMap((scan: TableScan, position) => {
      const changes = byTable.get(scan.table)
      if (changes === undefined) return []
      const rows =
        this.#altered.rowsOf(position, changes, (sql) => this.#prepared(connection, sql)) ??
        this.#environment.scan(connection, position)
      return diffTable(scan, this.#environment.baseRows(position), rows)
    })
  }
}
