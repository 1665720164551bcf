import type { Bindings, RunReport } from '../sqlite/connection.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'

/** One write as it was carried out; enough to carry it out again. */
export interface LoggedWrite {
  readonly statement: RegisteredStatement
  readonly bindings: Bindings
  /** Rows that it changed itself, without those of triggers and cascades. */
  readonly changes: number
  /** Where its random numbers begin, if it draws some. */
  readonly random: SeededRandom | null
}

const onlyChanges = /^\s*(?:UPDATE|DELETE)\b/i

/** Whether a statement that reports no change has left everything as it was. An INSERT may have used up a row id. */
export function leavesNothing({ firesPrograms, sql }: RegisteredStatement): boolean {
  return !firesPrograms && onlyChanges.test(sql)
}

/** Id of the only row that a write touched, if that is known. */
function pointOf({ point }: RegisteredStatement, bindings: Bindings, rowid: bigint): bigint | undefined {
  if (point === null) return undefined
  if (point.parameter === null) return rowid
  const bound = bindings[point.parameter]
  return typeof bound === 'bigint' ? bound : undefined
}

/** What one call wrote. */
export class CallEffects {
  readonly writes: LoggedWrite[] = []
  /** Tables that may have changed, by position, with the ids of the rows that did; null when only a scan can tell. */
  readonly tables = new Map<number, Set<bigint> | null>()

  record(statement: RegisteredStatement, bindings: Bindings, { changes, rowid, random }: RunReport): void {
    if (changes === 0 && leavesNothing(statement)) return
    this.writes.push({ statement, bindings: statement.parameters.length > 0 ? { ...bindings } : {}, changes, random })
    if (changes === 0 && !statement.firesPrograms) return
    const id = changes === 1 ? pointOf(statement, bindings, rowid) : undefined
    for (const table of statement.writes) {
      const known = this.tables.get(table)
      if (id === undefined || known === null) this.tables.set(table, null)
      else if (known === undefined) this.tables.set(table, new Set([id]))
      else known.add(id)
    }
  }

  /** Notes that anything may have changed in these tables. */
  suspect(tables: Iterable<number>): void {
    for (const table of tables) this.tables.set(table, null)
  }

  forget(): void {
    this.writes.length = 0
    this.tables.clear()
  }
}
