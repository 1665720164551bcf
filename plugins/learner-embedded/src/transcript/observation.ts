import type { Json, JsonObject } from 'rlenv'
import { isJsonObject, parseCutJson } from './json-text.ts'

export type Scalar = string | number | boolean | null

/** One row of a tool's result: its scalar cells. */
export interface ObservedRow {
  readonly keys: readonly string[]
  readonly cells: readonly Scalar[]
}

/** What a tool message says. */
export interface Observation {
  readonly failed: boolean
  readonly rows: readonly ObservedRow[]
}

/** Rows that one result adds at most; what a list holds beyond is not looked at. */
const rowLimit = 60

/** Reads a tool message: an error, one row, or a list of rows wherever in the object it stands. */
export function readObservation(content: string): Observation {
  const value = parseCutJson(content)
  if (isJsonObject(value) && value.error !== undefined && value.error !== null) return { failed: true, rows: [] }
  return { failed: false, rows: value === undefined ? [] : rowsOf(value).slice(0, rowLimit) }
}

function rowsOf(value: Json): ObservedRow[] {
  if (Array.isArray(value)) return value.filter(isJsonObject).map(rowOf)
  if (!isJsonObject(value)) return []
  const list = Object.values(value).find(
    (inner) => Array.isArray(inner) && (inner.length === 0 || inner.some(isJsonObject)),
  )
  if (list !== undefined) return rowsOf(list)
  const row = rowOf(value)
  const nested = Object.values(value).filter(isJsonObject)
  return row.keys.length > 0 ? [row] : nested.map(rowOf)
}

function rowOf(value: JsonObject): ObservedRow {
  const keys: string[] = []
  const cells: Scalar[] = []
  for (const key in value) {
    const cell = value[key]
    if (cell === undefined || (typeof cell === 'object' && cell !== null)) continue
    keys.push(key)
    cells.push(cell as Scalar)
  }
  return { keys, cells }
}
