import type Database from 'better-sqlite3'
import type { TableScan } from '../../environment/diff/table-diff.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import { fromCell, type SqliteRow, type SqliteValue } from '../../environment/sqlite/cell.ts'
import { quoteName, sqlTokens } from '../../environment/sqlite/sql-text.ts'
import type { RowChange } from '../../vocabulary/state-diff.ts'

type Prepare = (sql: string) => Database.Statement

/** Where the rows that a table holds at first stand, by key, and how to read one row of it. */
interface KeyedTable {
  readonly initial: readonly SqliteRow[]
  readonly places: ReadonlyMap<string, number>
  readonly sql: string
}

/**
 * The rows of tables of which a few rows were altered, from reading only these. Holds for tables with a primary key and
 * no rows without one, in a database where altering a row alters no other: no triggers, no REPLACE on conflict.
 */
export class AlteredRows {
  readonly #environment: ExecutableEnvironment
  readonly #keyed: ReadonlySet<string>
  readonly #tables = new Map<number, KeyedTable | null>()

  constructor(environment: ExecutableEnvironment) {
    this.#environment = environment
    const { schema, tables } = environment.image
    const replaces = schema.some((sql) => sqlTokens(sql).some(({ keyword }) => keyword === 'REPLACE'))
    const keyed = replaces ? [] : tables.filter(({ primaryKey }) => primaryKey.length > 0)
    this.#keyed = new Set(keyed.map(({ name }) => name))
  }

  /** All rows of a table, by its position, with `changes` read anew; null when only a scan can tell. */
  rowsOf(position: number, changes: readonly RowChange[], prepare: Prepare): readonly SqliteRow[] | null {
    const table = this.#table(position)
    if (table === null) return null
    const scan = this.#environment.scans[position] as TableScan
    const rows: (SqliteRow | undefined)[] = [...table.initial]
    const statement = prepare(table.sql).raw(true).safeIntegers(true)
    for (const { kind, key } of changes) {
      const values = scan.identity.map((name) => fromCell(key[name] ?? null))
      const [now, another] = statement.all(values) as SqliteRow[]
      if (another !== undefined || values.includes(null)) return null
      const place = table.places.get(now === undefined ? textOf(values) : keyText(scan, now))
      if (place !== undefined) rows[place] = now
      else if (now !== undefined) rows.push(now)
      else if (kind !== 'insert') return null
    }
    return rows.filter((row) => row !== undefined)
  }

  #table(position: number): KeyedTable | null {
    const known = this.#tables.get(position)
    if (known !== undefined) return known
    const table = this.#read(position)
    this.#tables.set(position, table)
    return table
  }

  #read(position: number): KeyedTable | null {
    const scan = this.#environment.scans[position] as TableScan
    if (!this.#keyed.has(scan.table)) return null
    const initial = this.#environment.baseRows(position)
    const places = new Map(initial.map((row, place) => [keyText(scan, row), place]))
    if (places.size < initial.length) return null
    const where = scan.identity.map((name) => `${quoteName(name)} IS ?`).join(' AND ')
    return {
      initial,
      places,
      sql: `SELECT ${scan.columns.map(quoteName).join(', ')} FROM main.${quoteName(scan.table)} WHERE ${where}`,
    }
  }
}

function keyText(scan: TableScan, row: SqliteRow): string {
  return textOf(scan.identityAt.map((at) => row[at] ?? null))
}

/** Different for different values: each comes with its kind and its length. */
function textOf(values: readonly SqliteValue[]): string {
  let text = ''
  for (const value of values) {
    const written = Buffer.isBuffer(value) ? value.toString('hex') : String(value)
    text += `${typeof value}${written.length}:${written}`
  }
  return text
}
