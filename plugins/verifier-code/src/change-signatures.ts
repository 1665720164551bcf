import { type Cell, canonicalJson, contentHash, type Row, type RowChange, type StateDiff } from 'rlenv'
import type { ColumnReference } from './stored-checks.ts'

/** What decides when two cells or rows count as the same. */
export interface ComparisonRules {
  readonly generated: ReadonlySet<string>
  readonly rounding: Readonly<Record<string, number>>
  readonly references: readonly ColumnReference[]
}

/** A row change with a text that two changes share exactly when they count as the same. */
export interface SignedChange {
  readonly change: RowChange
  readonly signature: string
  /** The same without regard to how inserted rows are linked to each other. */
  readonly unlinked: string
}

type Insert = Extract<RowChange, { readonly kind: 'insert' }>

interface Edge {
  readonly from: number
  readonly to: number
  readonly label: string
}

/**
 * Signs every change of a diff. Inserted rows are compared without the keys that the database made; a reference to an
 * inserted row stands for what that row holds and what points at it. Changes that vanish under rounding are left out.
 */
export function signChanges(diff: StateDiff, rules: ComparisonRules): readonly SignedChange[] {
  const inserts = diff.filter((change): change is Insert => change.kind === 'insert')
  const pointer = pointerTo(inserts, rules.references)
  const { own, linked } = insertColours(inserts, pointer, rules)
  const signed: SignedChange[] = []
  for (const change of diff) {
    const signature = signatureOf(change, (table, column, cell) => {
      const at = pointer(table, column, cell)
      return at === null ? comparable(table, column, cell, rules) : { $row: linked[at] ?? '' }
    })
    const at = change.kind === 'insert' ? inserts.indexOf(change) : -1
    if (at >= 0) signed.push({ change, signature: `insert ${linked[at]}`, unlinked: `insert ${own[at]}` })
    else if (signature !== null) signed.push({ change, signature, unlinked: signature })
  }
  return signed
}

type CellForm = (table: string, column: string, cell: Cell) => unknown

function signatureOf(change: RowChange, form: CellForm): string | null {
  switch (change.kind) {
    case 'insert':
      return null
    case 'delete':
      return canonicalJson(['delete', change.table, rowKey(change.key, change.before)])
    case 'update': {
      const set: Record<string, unknown> = {}
      for (const [column, cell] of Object.entries(change.after)) {
        const after = form(change.table, column, cell)
        const before = form(change.table, column, change.before[column] ?? null)
        if (after !== before && canonicalJson(after) !== canonicalJson(before)) set[column] = after
      }
      if (Object.keys(set).length === 0) return null
      return canonicalJson(['update', change.table, rowKey(change.key, change.before), set])
    }
  }
}

/** A key made of columns names the row; a bare row id does not, so the row's content stands for it. */
function rowKey(key: Row, content: Row): Row {
  return Object.keys(key).every((column) => column in content) ? key : content
}

/** A cell as it is compared: text as NFC, rounded where declared, without the noise of floating-point sums. */
function comparable(table: string, column: string, cell: Cell, rules: ComparisonRules): unknown {
  if (typeof cell === 'string') return cell.normalize('NFC')
  if (typeof cell !== 'number' || Number.isInteger(cell)) return cell
  const digits = rules.rounding[`${table}.${column}`]
  const rounded = digits === undefined ? Number(cell.toPrecision(12)) : Number(cell.toFixed(digits))
  return rounded === 0 ? 0 : rounded
}

/** Which inserted row a cell points at, by position; null when it points at none. */
function pointerTo(inserts: readonly Insert[], references: readonly ColumnReference[]) {
  if (inserts.length === 0) return () => null
  return (table: string, column: string, cell: Cell): number | null => {
    if (cell === null) return null
    const reference = references.find((one) => one.table === table && one.column === column)
    if (reference === undefined) return null
    const at = inserts.findIndex((insert) => {
      if (insert.table !== reference.target) return false
      const keys = reference.targetColumn === '' ? Object.keys(insert.key) : [reference.targetColumn]
      return keys.length === 1 && insert.after[keys[0] ?? ''] === cell
    })
    return at < 0 ? null : at
  }
}

/**
 * Two texts per inserted row: one of its own cells, and one that depends on its own cells and, over as many rounds as there are rows, on the rows it
 * points at and the rows that point at it (colour refinement), never on generated keys.
 */
function insertColours(
  inserts: readonly Insert[],
  pointer: (table: string, column: string, cell: Cell) => number | null,
  rules: ComparisonRules,
): { readonly own: readonly string[]; readonly linked: readonly string[] } {
  const edges: Edge[] = []
  const own = inserts.map(({ table, after }, from) => {
    const cells: Record<string, unknown> = {}
    for (const [column, cell] of Object.entries(after)) {
      if (rules.generated.has(`${table}.${column}`)) continue
      const to = pointer(table, column, cell)
      if (to === null) cells[column] = comparable(table, column, cell, rules)
      else edges.push({ from, to, label: `${table}.${column}` })
    }
    return canonicalJson([table, cells])
  })
  let linked: readonly string[] = own
  for (let round = 0; round < inserts.length && edges.length > 0; round++) linked = refined(linked, edges)
  return { own, linked }
}

function refined(colours: readonly string[], edges: readonly Edge[]): string[] {
  return colours.map((colour, row) => {
    const out = edges.filter(({ from }) => from === row).map(({ label, to }) => [label, colours[to]])
    const into = edges.filter(({ to }) => to === row).map(({ label, from }) => [label, colours[from]])
    const order = (list: unknown[][]) => list.map((pair) => JSON.stringify(pair)).sort()
    return contentHash([colour, order(out), order(into)])
  })
}
