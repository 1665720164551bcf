import type { Cell, Row } from '../../vocabulary/database.ts'
import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import { type SqliteRow, type SqliteValue, sameValue, toRow } from '../sqlite/cell.ts'
import { columnList, rowLookupSql } from '../sqlite/row-lookup.ts'
import { quoteName } from '../sqlite/sql-text.ts'
import type { TableInfo } from '../sqlite/table-info.ts'

/** How a table is read for comparison: its columns, and before them the row id where that is what tells rows apart. */
export interface TableScan {
  readonly table: string
  /** Every row; in the order of the key where that is the row id, otherwise in an order that is stable between two states. */
  readonly sql: string
  /** The row whose identity is bound to `?`, value by value. */
  readonly rowSql: string
  readonly columns: readonly string[]
  /** Number of leading values that are no columns: 1 with a row id, otherwise 0. */
  readonly lead: 0 | 1
  readonly identity: readonly string[]
  /** Positions of the identity in a scanned row. */
  readonly identityAt: readonly number[]
  /** Whether no two rows share an identity: in no state, in none that has NULL in it, or not to be relied on. */
  readonly unique: 'always' | 'without NULL' | 'never'
}

function uniqueness(table: TableInfo, byRowid: boolean): TableScan['unique'] {
  if (byRowid || table.keyIsRowid) return 'always'
  if (table.primaryKey.length === 0) return 'never'
  const optional = table.columns.some((column) => !column.notNull && table.primaryKey.includes(column.name))
  return optional ? 'without NULL' : 'always'
}

/** How to scan a table. */
export function tableScan(table: TableInfo): TableScan {
  const columns = table.columns.map((column) => column.name)
  const [first] = table.identity
  const byRowid =
    first !== undefined && table.identity.length === 1 && table.primaryKey.length === 0 && first === table.rowidName
  const lead = byRowid ? 1 : 0
  const selected = byRowid ? `${first}, ${columnList(table)}` : columnList(table)
  const identityAt = byRowid ? [0] : table.identity.map((name) => columns.indexOf(name))
  const sql = `SELECT ${selected} FROM main.${quoteName(table.name)}`
  const [key = ''] = table.primaryKey
  const order = table.keyIsRowid ? ` ORDER BY ${quoteName(key)}` : ''
  const keys = byRowid ? [first] : table.identity.map(quoteName)
  const byKey = `${sql} WHERE ${keys.map((name) => `${name} = ?`).join(' AND ')}`
  const rowSql = table.keyIsRowid ? rowLookupSql(table) : byKey
  const unique = uniqueness(table, byRowid)
  return { table: table.name, sql: sql + order, rowSql, columns, lead, identity: table.identity, identityAt, unique }
}

export function sameRow(a: SqliteRow | undefined, b: SqliteRow | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !sameValue(a[i], b[i])) return false
  return true
}

function identityText(value: SqliteValue | undefined): string {
  if (typeof value === 'string') return `t${value.length}:${value}`
  if (typeof value === 'bigint') return `i${value}`
  if (typeof value === 'number') return `r${value}`
  return value === null || value === undefined ? 'n' : `b${value.toString('hex')}`
}

/** Text that only equal keys have. */
export function keyText(key: SqliteRow): string {
  let text = ''
  for (const value of key) text += `${identityText(value)},`
  return text
}

/** What tells a scanned row from others. */
export function rowKey(scan: TableScan, row: SqliteRow): SqliteRow {
  return scan.identityAt.map((at) => row[at] as SqliteValue)
}

/** Rows by identity. Rows that share one (NULL in a key, or no key at all) are told apart by how often it came before. */
function byIdentity(scan: TableScan, rows: readonly SqliteRow[], from: number, to: number): Map<string, SqliteRow> {
  const found = new Map<string, SqliteRow>()
  const counts = new Map<string, number>()
  for (let i = from; i < to; i++) {
    const row = rows[i] as SqliteRow
    const key = keyText(rowKey(scan, row))
    if (!found.has(key)) {
      found.set(key, row)
      continue
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    found.set(`${key}#${count}`, row)
  }
  return found
}

function keyOf(scan: TableScan, row: SqliteRow): Row {
  return toRow(scan.identity, rowKey(scan, row))
}

function contentOf(scan: TableScan, row: SqliteRow): Row {
  return toRow(scan.columns, scan.lead === 0 ? row : row.slice(1))
}

/** Rows that differ between two scans of one table, sorted by key. */
export function diffTable(scan: TableScan, before: readonly SqliteRow[], after: readonly SqliteRow[]): StateDiff {
  if (before === after) return []
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && sameRow(before[start], after[start])) start++
  let [beforeEnd, afterEnd] = [before.length, after.length]
  while (beforeEnd > start && afterEnd > start && sameRow(before[beforeEnd - 1], after[afterEnd - 1])) {
    beforeEnd--
    afterEnd--
  }
  if (start === beforeEnd && start === afterEnd) return []
  const old = byIdentity(scan, before, start, beforeEnd)
  const changes: RowChange[] = []
  for (const [identity, row] of byIdentity(scan, after, start, afterEnd)) {
    const previous = old.get(identity)
    old.delete(identity)
    const change = changeOf(scan, previous, row)
    if (change !== null) changes.push(change)
  }
  for (const row of old.values()) changes.push(changeOf(scan, row, undefined) as RowChange)
  return changes.sort(compareChanges)
}

/** What became of one row; undefined stands for no row. Null when nothing did. */
export function changeOf(
  scan: TableScan,
  previous: SqliteRow | undefined,
  row: SqliteRow | undefined,
): RowChange | null {
  const { table } = scan
  if (row === undefined) {
    if (previous === undefined) return null
    return { kind: 'delete', table, key: keyOf(scan, previous), before: contentOf(scan, previous) }
  }
  if (previous === undefined) return { kind: 'insert', table, key: keyOf(scan, row), after: contentOf(scan, row) }
  if (sameRow(previous, row)) return null
  const key = keyOf(scan, row)
  return { kind: 'update', table, key, before: contentOf(scan, previous), after: contentOf(scan, row) }
}

const rank = (cell: Cell | undefined): number =>
  cell === null || cell === undefined
    ? 0
    : typeof cell === 'number' || (typeof cell === 'object' && '$int64' in cell)
      ? 1
      : typeof cell === 'string'
        ? 2
        : 3

const integerOf = (cell: Cell): number | bigint =>
  typeof cell === 'object' && cell !== null && '$int64' in cell ? BigInt(cell.$int64) : Number(cell)

function compareCellOrder(a: Cell, b: Cell): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  const [left, right] = rank(a) === 1 ? [integerOf(a), integerOf(b)] : [textOf(a), textOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const textOf = (cell: Cell): string => (typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell))

/** By key; a row that is gone after one that took its place. */
export function compareChanges(a: RowChange, b: RowChange): number {
  return compareKeys(a.key, b.key) || Number(a.kind === 'delete') - Number(b.kind === 'delete')
}

function compareKeys(a: Row, b: Row): number {
  for (const name of Object.keys(a)) {
    const order = compareCellOrder(a[name] ?? null, b[name] ?? null)
    if (order !== 0) return order
  }
  return 0
}
