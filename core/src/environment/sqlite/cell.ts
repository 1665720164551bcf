import type { Cell, Row } from '../../vocabulary/database.ts'
import type { Json } from '../../vocabulary/json.ts'

/** A value as the driver hands it over in safe-integer mode: bigint is INTEGER, number is REAL. */
export type SqliteValue = null | bigint | number | string | Buffer

/** What the driver binds without changing its storage class. */
export type BoundValue = SqliteValue

/** One row in column order. */
export type SqliteRow = readonly SqliteValue[]

const largest = BigInt(Number.MAX_SAFE_INTEGER)

/** The JSON form of a value; REALs outside JSON's range become text. */
function toCell(value: SqliteValue): Cell {
  if (typeof value === 'bigint') {
    return value <= largest && value >= -largest ? Number(value) : { $int64: value.toString() }
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value === null || typeof value === 'string') return value
  return { $blob: value.toString('base64') }
}

/** A row in its JSON form, in column order. */
export function toCells(values: SqliteRow): readonly Cell[] {
  return values.map(toCell)
}

/** A row as an object; the last of two columns with one name wins. */
export function toRow(columns: readonly string[], values: SqliteRow): Row {
  const row: Record<string, Cell> = {}
  for (let i = 0; i < columns.length; i++) {
    const name = columns[i] as string
    const cell = toCell(values[i] as SqliteValue)
    if (name !== '__proto__') row[name] = cell
    else Object.defineProperty(row, name, { value: cell, enumerable: true })
  }
  return row
}

const int64Bound = 2 ** 63

/** Integral numbers that SQLite's INTEGER can hold are bound as such; -0 too. */
function boundNumber(value: number): BoundValue {
  const isInteger = Number.isInteger(value) && value >= -int64Bound && value < int64Bound
  return isInteger ? BigInt(value) : value
}

/** What to bind for a cell: an integral number is an INTEGER, so that TEXT columns never read "7.0". */
export function fromCell(cell: Cell): BoundValue {
  if (typeof cell === 'number') return boundNumber(cell)
  if (cell === null || typeof cell === 'string') return cell
  return '$int64' in cell ? BigInt(cell.$int64) : Buffer.from(cell.$blob, 'base64')
}

/** What to bind for an argument: booleans are 0 and 1, lists and objects JSON text, nothing is NULL. */
export function fromJson(value: Json | undefined): BoundValue {
  if (value === undefined || value === null) return null
  switch (typeof value) {
    case 'number':
      return boundNumber(value)
    case 'string':
      return value
    case 'boolean':
      return value ? 1n : 0n
    default:
      return JSON.stringify(value)
  }
}

/** Length of a text in UTF-16 units, of a blob in bytes; 0 for what is neither. */
export function textLength(value: SqliteValue | undefined): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? value.length : 0
}

/** Whether two stored values are the same, storage class included. */
export function sameValue(a: SqliteValue | undefined, b: SqliteValue | undefined): boolean {
  if (a === b) return true
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b)
}
