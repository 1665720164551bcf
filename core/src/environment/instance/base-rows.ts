import { keyText, rowKey, type TableScan } from '../diff/table-diff.ts'
import type { SqliteRow } from '../sqlite/cell.ts'

/** Most single rows of one table that stay known. */
const mostRows = 2_048

/** Reads the initial state; tables go by their position. */
export interface BaseReader {
  all(table: number): readonly SqliteRow[]
  one(table: number, key: SqliteRow): SqliteRow | undefined
}

/** Rows as every instance starts with them, read once: those that instances change are mostly the same. */
export class BaseRows {
  readonly #scans: readonly TableScan[]
  readonly #reader: BaseReader
  readonly #whole: (readonly SqliteRow[] | undefined)[] = []
  readonly #single: (Map<bigint | string, SqliteRow | undefined> | undefined)[] = []
  readonly #keyed: (boolean | undefined)[] = []

  constructor(scans: readonly TableScan[], reader: BaseReader) {
    this.#scans = scans
    this.#reader = reader
  }

  /** Whether no two rows share what tells rows apart. */
  keyed(table: number): boolean {
    const known = this.#keyed[table] ?? this.#findKeyed(table)
    this.#keyed[table] = known
    return known
  }

  row(table: number, key: SqliteRow): SqliteRow | undefined {
    const known = this.#single[table] ?? new Map<bigint | string, SqliteRow | undefined>()
    this.#single[table] = known
    const [first] = key
    const name = key.length === 1 && typeof first === 'bigint' ? first : keyText(key)
    const row = known.get(name)
    if (row !== undefined || known.has(name)) return row
    if (known.size >= mostRows) known.clear()
    const read = this.#reader.one(table, key)
    known.set(name, read)
    return read
  }

  all(table: number): readonly SqliteRow[] {
    const known = this.#whole[table] ?? this.#reader.all(table)
    this.#whole[table] = known
    return known
  }

  #findKeyed(table: number): boolean {
    const scan = this.#scans[table] as TableScan
    if (scan.unique !== 'without NULL') return scan.unique === 'always'
    return this.all(table).every((row) => rowKey(scan, row).every((value) => value !== null))
  }
}
