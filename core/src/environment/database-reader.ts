import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { StateReader } from '../hooks/world.ts'
import type { Cell, Row } from '../vocabulary/database.ts'
import type { QueryRows } from '../vocabulary/task.ts'
import { OutgrownState } from './instance/outgrown-state.ts'
import { type BoundValue, fromCell, toRow } from './sqlite/cell.ts'
import type { Bindings, FetchedRows } from './sqlite/connection.ts'
import { quoteName, sqlExcerpt } from './sqlite/sql-text.ts'
import type { RegisteredStatement, StatementRegistry } from './sqlite/statement-registry.ts'
import type { TableInfo } from './sqlite/table-info.ts'

const unreadable = (message: string, cause?: unknown): RlenvError =>
  new RlenvError(message, {
    code: 'RLENV_DATABASE_INVALID',
    fix: 'Correct the query or the name.',
    ...(cause === undefined ? {} : { cause }),
  })

const tooLarge = (cause: OutgrownState): RlenvError =>
  new RlenvError(`the state cannot be asked: ${cause.message}`, {
    code: 'RLENV_STATE_TOO_LARGE',
    fix: 'Ask with a query that looks at fewer rows for each of its rows, or give the tools bounds for what they write.',
    cause,
  })

function bindingsOf(
  statement: RegisteredStatement,
  parameters: Readonly<Record<string, Cell>>,
): Record<string, BoundValue> {
  const bindings: Record<string, BoundValue> = {}
  for (const name of statement.parameters) {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (value === undefined) throw unreadable(`the query "${sqlExcerpt(statement.sql)}" got no value for @${name}`)
    bindings[name] = fromCell(value)
  }
  return bindings
}

/** The tables of one environment and the statements that read them whole, in primary-key order. */
export class TableCatalog {
  readonly names: readonly string[]
  readonly #readers = new Map<string, RegisteredStatement>()

  constructor(tables: readonly TableInfo[], registry: StatementRegistry) {
    this.names = tables.map((table) => table.name)
    for (const table of tables) {
      const columns = table.columns.map((column) => column.name)
      const order = table.identity.map(quoteName).join(', ')
      const sql = `SELECT ${columns.map(quoteName).join(', ')} FROM main.${quoteName(table.name)} ORDER BY ${order}`
      this.#readers.set(table.name, registry.own(sql, columns))
    }
  }

  /** @throws {RlenvError} RLENV_DATABASE_INVALID */
  reader(table: string): RegisteredStatement {
    const statement = this.#readers.get(table)
    if (statement === undefined) throw unreadable(`there is no table ${table}; the tables are ${this.names.join(', ')}`)
    return statement
  }
}

/** Whole tables that need not be read again. */
export interface KeptTables {
  get(table: string): QueryRows | undefined
  set(table: string, rows: QueryRows): void
}

/** Where a statement that reads is carried out. */
export interface ReadPlace {
  fetch(statement: RegisteredStatement, bindings: Bindings): FetchedRows
}

/** Reads one state of a database. A place is asked for at each use, so that nothing is opened before it is needed. */
export class DatabaseReader implements StateReader {
  readonly tables: readonly string[]
  readonly #catalog: TableCatalog
  readonly #registry: StatementRegistry
  readonly #place: () => ReadPlace
  readonly #kept: KeptTables | null

  /** @param kept - tables that are known; null reads each table anew. */
  constructor(
    catalog: TableCatalog,
    registry: StatementRegistry,
    place: () => ReadPlace,
    kept: KeptTables | null = null,
  ) {
    this.tables = catalog.names
    this.#catalog = catalog
    this.#registry = registry
    this.#place = place
    this.#kept = kept
  }

  rows(table: string): QueryRows {
    const statement = this.#catalog.reader(table)
    const kept = this.#kept?.get(table)
    if (kept !== undefined) return kept
    const { rows: read } = this.#place().fetch(statement, {})
    const rows = read.map((row) => toRow(statement.columns, row))
    this.#kept?.set(table, rows)
    return rows
  }

  /** @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_STATE_TOO_LARGE */
  query(sql: string, parameters: Readonly<Record<string, Cell>> = {}): QueryRows {
    const admission = this.#registry.admit(sql)
    if (!admission.ok) throw unreadable(`the query "${sqlExcerpt(sql)}" ${admission.faults.join('; ')}`)
    const { statement } = admission
    if (!statement.readOnly || statement.columns.length === 0) {
      throw unreadable(`the query "${sqlExcerpt(sql)}" does not only read`)
    }
    const bindings = bindingsOf(statement, parameters)
    try {
      const { rows } = this.#place().fetch(statement, bindings)
      return rows.map((row): Row => toRow(statement.columns, row))
    } catch (cause) {
      if (cause instanceof OutgrownState) throw tooLarge(cause)
      throw unreadable(`the query "${sqlExcerpt(sql)}" failed: ${messageOf(cause)}`, cause)
    }
  }
}
