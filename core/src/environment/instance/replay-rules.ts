import type { DatabaseImage } from '../image/database-image.ts'
import type { Connection } from '../sqlite/connection.ts'
import { quoteName, sqlTokens } from '../sqlite/sql-text.ts'
import type { LoggedWrite } from '../tools/call-effects.ts'
import type { CompiledTool } from '../tools/compile-toolset.ts'

/**
 * What a schema may not say if its writes are to be carried out again inside one transaction: foreign keys checked at
 * commit, statements that roll back the transaction or stop halfway.
 */
const ruledOut = new Set(['DEFERRED', 'ROLLBACK', 'FAIL'])

/** Behind this row id SQLite picks unused ones at random, which no log can repeat. */
export const largestRowid = 2n ** 63n - 1n

function holdsLargestRowid(base: Connection, image: DatabaseImage): boolean {
  return image.tables.some(({ name, rowidName }) => {
    if (rowidName === null) return false
    const sql = `SELECT 1 FROM main.${quoteName(name)} WHERE ${rowidName} = ${largestRowid}`
    return base.database.prepare(sql).get() !== undefined
  })
}

/** Whether an instance of this environment can be a log of its writes. Scripts are looked at when they run. */
export function canReplay(base: Connection, image: DatabaseImage, tools: Iterable<CompiledTool>): boolean {
  const words = image.schema.flatMap((sql) => sqlTokens(sql).map((token) => token.keyword || token.text.toUpperCase()))
  if (words.some((word) => ruledOut.has(word)) || holdsLargestRowid(base, image)) return false
  return [...tools].every(
    ({ program }) => program === null || program.steps.every(({ statement }) => !statement?.partial),
  )
}

/** Row visits that take about as long as a simple write. Source: measured, 0.08 µs against 1.5 µs. */
const visitsPerWrite = 20

/** Replaying this many simple writes takes about as long as opening a connection of one's own. */
export const mostReplayCost = 100

/** What it takes to carry these writes out again, in simple writes. Counted, not timed, so that it is the same everywhere. */
export function replayCost(writes: readonly LoggedWrite[]): number {
  let cost = 0
  for (const { statement } of writes) cost += 1 + Math.floor(statement.visits / visitsPerWrite)
  return cost
}
