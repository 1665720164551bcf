import { loadEnvironment } from '../../environment/load-environment.ts'
import { didYouMean } from '../../errors/near-names.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { StateReader } from '../../hooks/world.ts'
import type { Cell, Row } from '../../vocabulary/database.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { textTable } from '../text-table.ts'

export interface TableSize {
  readonly name: string
  readonly rows: number
  readonly columns: readonly string[]
}

export interface TableRows {
  readonly table: string
  readonly total: number
  /** The first ones, in primary-key order. */
  readonly rows: readonly Row[]
}

/** Tables of an environment's initial state. */
export function tableSizes(environment: Environment): readonly TableSize[] {
  return withInitialState(environment, (state) =>
    state.tables.map((name) => {
      const rows = state.rows(name)
      return { name, rows: rows.length, columns: Object.keys(rows[0] ?? {}) }
    }),
  )
}

/** @throws {RlenvError} RLENV_USAGE for an unknown table, with near names. */
export function inspectTable(environment: Environment, table: string, limit: number): TableRows {
  const rows = withInitialState(environment, (state) => {
    if (state.tables.includes(table)) return state.rows(table)
    throw new RlenvError(`${environment.id} has no table "${table}"`, {
      code: 'RLENV_USAGE',
      fix: didYouMean(table, state.tables) ?? `Choose one of ${state.tables.join(', ')}.`,
    })
  })
  return { table, total: rows.length, rows: rows.slice(0, limit) }
}

export function rowsText({ table, total, rows }: TableRows): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => cellText(row[column] ?? null)))
  return `${textTable([columns, ...lines])}\n${rows.length} of ${total} rows of ${table}`
}

function cellText(cell: Cell): string {
  if (cell === null) return 'NULL'
  if (typeof cell === 'object') return '$int64' in cell ? cell.$int64 : `blob ${cell.$blob}`
  return String(cell)
}

function withInitialState<Result>(environment: Environment, read: (state: StateReader) => Result): Result {
  const instance = loadEnvironment(environment).open({ seed: environment.seed })
  try {
    return read(instance.capture().initial)
  } finally {
    instance.close()
  }
}
