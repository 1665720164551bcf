import type { TableInfo } from '../../environment/sqlite/table-info.ts'
import type { Cell, Row } from '../../vocabulary/database.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import type { ToolCall } from '../../vocabulary/task.ts'

/** A final state that is wrong in one row. */
export interface Mutant {
  /** What was done to the gold state, for example "loans 7 dropped". */
  readonly name: string
  /** Initial to altered final state. */
  readonly diff: StateDiff
}

/** Rows of one gold run that are altered at most; more of them say nothing new about a verifier. */
const mostRows = 8

/**
 * Final states that differ from the gold one in one touched row each: the row's change undone, the row dropped, one of
 * its columns altered. Columns that the gold calls gave a value are altered first, for these the task asks for.
 */
export function mutantsOf(
  diff: StateDiff,
  calls: readonly ToolCall[],
  tables: readonly TableInfo[],
): readonly Mutant[] {
  const demanded = new Set(calls.flatMap((call) => Object.values(call.arguments).map(String)))
  return diff.slice(0, mostRows).flatMap((change, index) => {
    const table = tables.find(({ name }) => name === change.table)
    const replaced = (by: readonly RowChange[]) => [...diff.slice(0, index), ...by, ...diff.slice(index + 1)]
    return rowMutants(change, table, demanded).map(([what, by]): Mutant => {
      return { name: `${rowName(change)} ${what}`, diff: replaced(by) }
    })
  })
}

type RowMutant = readonly [what: string, by: readonly RowChange[]]

function rowMutants(change: RowChange, table: TableInfo | undefined, demanded: ReadonlySet<string>): RowMutant[] {
  if (change.kind === 'delete') return [['kept', []]]
  const { kind, key, after } = change
  const changed = kind === 'insert' ? alterable(after, key, table) : alterable(after, key, table, change.before)
  const column = changed.find((name) => demanded.has(String(after[name]))) ?? changed[0]
  const altered: RowMutant[] =
    column === undefined ? [] : [[`altered in ${column}`, [alterChange(change, column, table)]]]
  if (kind === 'insert') return [['dropped', []], ...altered]
  const dropped: RowChange = { kind: 'delete', table: change.table, key, before: change.before }
  return [['left as it was', []], ['dropped', [dropped]], ...altered]
}

/** Columns that can be altered without another row taking this one's place; of an update, those that it changed. */
function alterable(after: Row, key: Row, table: TableInfo | undefined, before?: Row): readonly string[] {
  return Object.keys(after).filter((name) => {
    const generated = table?.columns.some((column) => column.name === name && column.generated) ?? false
    const changed = before === undefined || !sameCell(before[name], after[name])
    return !(name in key || generated) && changed
  })
}

function alterChange(
  change: Exclude<RowChange, { kind: 'delete' }>,
  column: string,
  table: TableInfo | undefined,
): RowChange {
  const type = table?.columns.find(({ name }) => name === column)?.type ?? ''
  const once = alteredCell(change.after[column] ?? null, type)
  const undone = change.kind === 'update' && sameCell(once, change.before[column])
  return { ...change, after: { ...change.after, [column]: undone ? alteredCell(once, type) : once } }
}

const sameCell = (a: Cell | undefined, b: Cell | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** Another value of the same storage class. */
export function alteredCell(cell: Cell, type: string): Cell {
  if (typeof cell === 'number') return cell + 1
  if (typeof cell === 'string') return shiftedText(cell)
  if (cell === null)
    return /INT|REAL|NUM|FLOA|DOUB/i.test(type) ? 1 : /BLOB/i.test(type) ? { $blob: 'AA==' } : 'altered'
  if ('$int64' in cell) return { $int64: String(BigInt(cell.$int64) - 1n) }
  return { $blob: cell.$blob === 'AA==' ? 'AQ==' : 'AA==' }
}

/** Answers that are wrong, near the right one. */
export function wrongAnswers(answer: Json): readonly Json[] {
  if (typeof answer === 'number') return [answer + 1]
  if (typeof answer === 'boolean') return [!answer]
  if (typeof answer === 'string') return [shiftedText(answer)]
  if (Array.isArray(answer)) return [answer.length === 0 ? ['altered'] : answer.slice(1)]
  if (answer === null) return []
  const [first] = Object.entries(answer)
  if (first === undefined) return [{ altered: true }]
  const [wrong = 'altered'] = wrongAnswers(first[1])
  return [{ ...answer, [first[0]]: wrong }]
}

/** Every letter and digit replaced by its neighbour: of the same form and length, and no longer holding the original. */
function shiftedText(text: string): string {
  const shifted = text.replaceAll(/[0-9A-Za-z]/g, (character) => {
    if (character === '9') return '0'
    if (character === 'z' || character === 'Z') return character === 'z' ? 'a' : 'A'
    return String.fromCharCode(character.charCodeAt(0) + 1)
  })
  return shifted === text ? `${text}x` : shifted
}

function rowName({ table, key }: RowChange): string {
  return `${table} ${Object.values(key).map(String).join(', ')}`
}
