import type { DatabaseImage } from '../image/database-image.ts'
import type { BoundValue } from '../sqlite/cell.ts'
import type { Connection } from '../sqlite/connection.ts'
import { quoteName, sqlTokens } from '../sqlite/sql-text.ts'
import type { LoggedWrite } from '../tools/call-effects.ts'
import type { CompiledTool } from '../tools/compile-toolset.ts'
import { largestRowid } from './largest-rowid.ts'

/**
 * Whether a schema says what cannot be carried out again inside one transaction: foreign keys checked at commit,
 * conflicts that roll back the transaction or stop a statement halfway.
 */
function rulesReplayOut(sql: string): boolean {
  const tokens = sqlTokens(sql)
  return tokens.some(({ keyword }, index) => {
    const [before, previous] = [tokens[index - 2], tokens[index - 1]]
    if (keyword === 'DEFERRED') return previous?.keyword === 'INITIALLY'
    if (keyword !== 'ROLLBACK' && keyword !== 'FAIL') return false
    const inRaise = previous?.text === '(' && before?.keyword === 'RAISE'
    return inRaise || previous?.keyword === 'OR' || previous?.keyword === 'CONFLICT'
  })
}

function holdsLargestRowid(base: Connection, image: DatabaseImage): boolean {
  return image.tables.some(({ name, rowidName }) => {
    if (rowidName === null) return false
    const sql = `SELECT 1 FROM main.${quoteName(name)} WHERE ${rowidName} = ${largestRowid}`
    return base.database.prepare(sql).get() !== undefined
  })
}

/** Whether an instance of this environment can be a log of its writes. Scripts are looked at when they run. */
export function canReplay(base: Connection, image: DatabaseImage, tools: Iterable<CompiledTool>): boolean {
  if (image.schema.some(rulesReplayOut) || holdsLargestRowid(base, image)) return false
  return [...tools].every(
    ({ program }) => program.kind !== 'sql' || program.steps.every(({ statement }) => !statement?.partial),
  )
}

/** What takes about as long as one simple write. Source: measured, 1.5 µs a write, 0.08 µs a visited row, 0.4 µs a changed one. */
const visitsPerWrite = 20
const changesPerWrite = 4
const charactersPerWrite = 4_096
/** A statement that is prepared anew each time. */
const preparation = 8

/** Replaying this many simple writes takes about as long as opening a connection of one's own. */
export const mostReplayCost = 100

function valueCost(value: BoundValue | undefined): number {
  const size = typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0
  return Math.floor(size / charactersPerWrite)
}

/** What it takes to carry these writes out again, in simple writes. Counted, not timed, so that it is the same everywhere. */
export function replayCost(writes: readonly LoggedWrite[]): number {
  let cost = 0
  for (const { statement, bindings, changes } of writes) {
    const { visits, slot, parameters } = statement
    cost += (slot < 0 ? preparation : 1) + Math.floor(Math.max(visits / visitsPerWrite, changes / changesPerWrite))
    for (const name of parameters) cost += valueCost(bindings[name])
  }
  return cost
}
