import type { RandomStream } from '../../determinism/random-stream.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import type { TableInfo } from '../../environment/sqlite/table-info.ts'
import type { Row } from '../../vocabulary/database.ts'
import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import { alteredCell } from './mutants.ts'

const mostTries = 16

/** One column of one row that a gold run did not touch, altered; null when no try finds any. */
export function unrelatedChange(
  gold: StateDiff,
  executable: ExecutableEnvironment,
  random: RandomStream,
): RowChange | null {
  const touched = new Set(gold.map(({ table, key }) => rowId(table, key)))
  const filled = executable.image.tables.filter(({ name }) => executable.initial.rows(name).length > 0)
  for (let i = 0; i < mostTries && filled.length > 0; i++) {
    const table = random.pick(filled)
    const rows = executable.initial.rows(table.name)
    const change = alteredRow(table, random.pick(rows), random)
    if (change !== null && !touched.has(rowId(change.table, change.key))) return change
  }
  return null
}

function alteredRow(table: TableInfo, before: Row, random: RandomStream): RowChange | null {
  const { identity, columns } = table
  const free = columns.filter(({ name, generated }) => !(generated || identity.includes(name)))
  if (free.length === 0 || !identity.every((name) => name in before)) return null
  const { name, type } = random.pick(free)
  const key = Object.fromEntries(identity.map((column) => [column, before[column] ?? null]))
  const after = { ...before, [name]: alteredCell(before[name] ?? null, type) }
  return { kind: 'update', table: table.name, key, before, after }
}

function rowId(table: string, key: Row): string {
  return JSON.stringify([table, key])
}
