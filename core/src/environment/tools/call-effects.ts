import type { Bindings } from '../sqlite/connection.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'

/** One write as it was carried out; enough to carry it out again. */
export interface LoggedWrite {
  readonly statement: RegisteredStatement
  readonly bindings: Bindings
}

/** What one call wrote. */
export class CallEffects {
  readonly writes: LoggedWrite[] = []
  /** Positions of the tables that may have changed. */
  readonly tables = new Set<number>()

  record(statement: RegisteredStatement, bindings: Bindings, changes: number): void {
    if (changes === 0 && !statement.firesPrograms) return
    this.writes.push({ statement, bindings: statement.parameters.length > 0 ? { ...bindings } : {} })
    for (const table of statement.writes) this.tables.add(table)
  }

  forget(): void {
    this.writes.length = 0
    this.tables.clear()
  }
}
