import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import type { SqliteRow } from '../sqlite/cell.ts'
import type { Connection } from '../sqlite/connection.ts'
import { changeOf, diffTable, findRow, type TableScan } from './table-diff.ts'

/** Where rows are read from; tables go by their position. */
export interface RowSource {
  readonly scans: readonly TableScan[]
  /** All rows of a table as every instance starts with them. */
  baseRows(table: number): readonly SqliteRow[]
  /** All rows of a table as a connection sees them. */
  scan(connection: Connection, table: number): readonly SqliteRow[]
  /** One row of a table whose key is its row id; undefined when there is none. */
  scanRow(connection: Connection, table: number, id: bigint): SqliteRow | undefined
}

/** Tables that a call may have changed, with the ids of the rows that it touched; null when only a scan can tell. */
export type TouchedTables = ReadonlyMap<number, ReadonlySet<bigint> | null>

/** A written table: the rows of its last scan, and over them those that were looked at one by one since. */
interface WrittenTable {
  readonly rows: readonly SqliteRow[]
  /** By row id; undefined for a row that is gone. */
  readonly patches: Map<bigint, SqliteRow | undefined>
}

const byId = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** The rows of the tables that one instance has written, kept so that only these need to be compared. */
export class WrittenTables {
  readonly #source: RowSource
  readonly #tables = new Map<number, WrittenTable>()

  /** @param start - another instance's, to begin with a copy of. */
  constructor(source: RowSource, start?: WrittenTables) {
    this.#source = source
    if (start === undefined) return
    for (const [table, { rows, patches }] of start.#tables) this.#tables.set(table, { rows, patches: new Map(patches) })
  }

  has(table: number): boolean {
    return this.#tables.has(table)
  }

  /** Takes in what a call wrote. Returns every row that differs from before it, by table, then key. */
  take(connection: Connection, touched: TouchedTables): StateDiff {
    const changes: RowChange[] = []
    const tables = touched.size > 1 ? [...touched].sort(([a], [b]) => a - b) : touched
    for (const [table, ids] of tables) {
      if (ids === null) changes.push(...this.#takeScan(connection, table))
      else this.#takeRows(connection, table, ids, changes)
    }
    return changes
  }

  /** Every row that differs from the image. */
  diff(): StateDiff {
    const changes: RowChange[] = []
    for (const [table, { rows, patches }] of [...this.#tables].sort(([a], [b]) => a - b)) {
      const base = this.#source.baseRows(table)
      const scan = this.#scanOf(table)
      if (rows !== base) changes.push(...diffTable(scan, base, this.#rowsOf(table)))
      else
        for (const id of [...patches.keys()].sort(byId)) note(changes, scan, findRow(scan, base, id), patches.get(id))
    }
    return changes
  }

  #takeScan(connection: Connection, table: number): StateDiff {
    const before = this.#rowsOf(table)
    const rows = this.#source.scan(connection, table)
    this.#tables.set(table, { rows, patches: new Map() })
    return diffTable(this.#scanOf(table), before, rows)
  }

  #takeRows(connection: Connection, table: number, ids: ReadonlySet<bigint>, changes: RowChange[]): void {
    const scan = this.#scanOf(table)
    const { rows, patches } = this.#written(table)
    for (const id of ids.size > 1 ? [...ids].sort(byId) : ids) {
      const before = patches.has(id) ? patches.get(id) : findRow(scan, rows, id)
      const now = this.#source.scanRow(connection, table, id)
      patches.set(id, now)
      note(changes, scan, before, now)
    }
  }

  #written(table: number): WrittenTable {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const fresh: WrittenTable = { rows: this.#source.baseRows(table), patches: new Map() }
    this.#tables.set(table, fresh)
    return fresh
  }

  #scanOf(table: number): TableScan {
    return this.#source.scans[table] as TableScan
  }

  /** All rows as they stand, patches laid over the last scan. Both are in the order of their row ids. */
  #rowsOf(table: number): readonly SqliteRow[] {
    const known = this.#tables.get(table)
    if (known === undefined) return this.#source.baseRows(table)
    if (known.patches.size === 0) return known.rows
    const [at = 0] = this.#scanOf(table).identityAt
    const merged = known.rows.filter((row) => !known.patches.has(row[at] as bigint))
    for (const row of known.patches.values()) if (row !== undefined) merged.push(row)
    return merged.sort((a, b) => byId(a[at] as bigint, b[at] as bigint))
  }
}

function note(changes: RowChange[], scan: TableScan, before: SqliteRow | undefined, now: SqliteRow | undefined): void {
  const change = changeOf(scan, before, now)
  if (change !== null) changes.push(change)
}
