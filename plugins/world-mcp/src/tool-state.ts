import {
  type CapturedState,
  type Cell,
  canonicalJson,
  type Json,
  type JsonObject,
  type QueryRows,
  RlenvError,
  type Row,
  type RowChange,
  type StateDiff,
  type StateReader,
} from 'rlenv'

/** Holds what a state has besides lists of objects, one row `{ key, value }` each. */
const valuesTable = 'values'

type Tables = ReadonlyMap<string, QueryRows>

/**
 * A state that a tool returned, as tables: each list of objects is one, a row per object; everything else is in `values`.
 * What no cell can hold is JSON text.
 */
export class ToolState implements StateReader {
  readonly tables: readonly string[]
  readonly #rows: Tables

  constructor(state: Json) {
    this.#rows = tablesOf(state)
    this.tables = [...this.#rows.keys()].sort()
  }

  rows(table: string): QueryRows {
    const rows = this.#rows.get(table)
    if (rows !== undefined) return rows
    throw new RlenvError(`the state has no table "${table}"; it has ${this.tables.join(', ')}`, {
      code: 'RLENV_DATABASE_INVALID',
      fix: 'Ask for one of these.',
    })
  }

  query(): never {
    throw new RlenvError('this state comes from a tool and not from a database, so it answers no SQL', {
      code: 'RLENV_DATABASE_INVALID',
      fix: 'Read its tables with rows().',
    })
  }
}

/** What happened between two states. Rows have no keys here: one that changed is one that is gone and one that is new. */
export function capturedState(initial: ToolState, final: ToolState): CapturedState {
  const tables = [...new Set([...initial.tables, ...final.tables])].sort()
  return { initial, final, diff: tables.flatMap((table) => tableDiff(table, initial, final)) }
}

function tableDiff(table: string, initial: ToolState, final: ToolState): StateDiff {
  const left = new Map<string, Row[]>()
  for (const row of rowsOf(initial, table)) {
    const text = canonicalJson(row)
    left.set(text, [...(left.get(text) ?? []), row])
  }
  const added: RowChange[] = []
  for (const row of rowsOf(final, table)) {
    if (left.get(canonicalJson(row))?.pop() === undefined) added.push({ kind: 'insert', table, key: row, after: row })
  }
  const gone = [...left.values()].flat().map((row): RowChange => ({ kind: 'delete', table, key: row, before: row }))
  return [...gone, ...added].sort((a, b) => (canonicalJson(a.key) < canonicalJson(b.key) ? -1 : 1))
}

function rowsOf(state: ToolState, table: string): QueryRows {
  return state.tables.includes(table) ? state.rows(table) : []
}

function tablesOf(state: Json): Tables {
  const parts = isObject(state) ? state : { value: state }
  const tables = new Map<string, QueryRows>()
  const values: Row[] = []
  for (const [name, part] of Object.entries(parts)) {
    const objects = objectsIn(part)
    if (objects === null) values.push({ key: name, value: cellOf(part) })
    else tables.set(name, objects.map(rowOf).sort(byContent))
  }
  if (values.length > 0) tables.set(valuesTable, [...(tables.get(valuesTable) ?? []), ...values].sort(byContent))
  return tables
}

/** A list of nothing but objects; null for anything else. */
function objectsIn(part: Json): readonly JsonObject[] | null {
  if (!Array.isArray(part)) return null
  const objects = (part as readonly Json[]).filter(isObject)
  return objects.length === part.length ? objects : null
}

function rowOf(object: JsonObject): Row {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, cellOf(value)]))
}

function cellOf(value: Json): Cell {
  return value === null || typeof value === 'number' || typeof value === 'string' ? value : canonicalJson(value)
}

function byContent(a: Row, b: Row): number {
  const [left, right] = [canonicalJson(a), canonicalJson(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
