import type { Bindings, Connection, FetchedRows, RunReport } from '../sqlite/connection.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import type { ChangedRows } from './changed-rows.ts'
import type { GrowthBounds } from './growth-bounds.ts'
import type { InstanceState } from './instance-state.ts'

/** Where an instance's statements can run. */
export interface StatementPlaces {
  /** Whose base is the connection to the image that all instances of the environment share; only ever read. */
  readonly host: { readonly base: Connection; readonly growth: GrowthBounds }
  readonly state: InstanceState
  readonly changed: ChangedRows
  /** Whether reads of tables that were never written may be answered by the image. */
  readonly sharesReads: boolean
}

const nothing: ReadonlySet<number> = new Set()

/**
 * Whether SQLite has undone a statement that failed inside a transaction. It does so only where it foresaw the failure,
 * as it does that of a constraint. Rows that were written before one of the wrong type stay, in a STRICT table too.
 */
function undoneBySqlite(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  return code.startsWith('SQLITE_CONSTRAINT') && code !== 'SQLITE_CONSTRAINT_DATATYPE'
}

/**
 * What the statements of one call, or of one look at an instance, run on. A read of tables that the instance has never
 * written is answered by the image, which all instances share, so that an instance opens its own state only for what is
 * its own.
 */
export class InstanceDatabase {
  readonly #places: StatementPlaces
  readonly #writes: boolean
  #own: Connection | null = null
  #saved = false
  #failed = false
  #unrepeatable = false
  /** Rows that the writes so far have changed. */
  #changes = 0

  /** @param writes - whether what is to come may write. */
  constructor(places: StatementPlaces, writes: boolean) {
    this.#places = places
    this.#writes = writes
  }

  /** Whether a statement has rolled back more than it was asked for, so that nothing can be taken back any more. */
  get lost(): boolean {
    return this.#saved && !this.own().database.inTransaction
  }

  /** Whether a write has failed that {@link takeBack} has not taken back: nobody knows what it left behind. */
  get failed(): boolean {
    return this.#failed
  }

  /** Whether a statement may have come out otherwise on a database of one's own: see `OrderMatters`. */
  get unrepeatable(): boolean {
    return this.#unrepeatable || this.partlyWritten.size > 0
  }

  /** Tables that the statements so far may have left something behind in when they failed. */
  get partlyWritten(): ReadonlySet<number> {
    return this.#own?.partlyWritten ?? nothing
  }

  /** On the instance's own state. */
  own(): Connection {
    if (this.#own !== null) return this.#own
    const { state } = this.#places
    const own = state.connection()
    this.#own = own
    own.partlyWritten.clear()
    if (this.#writes) state.writing()
    return own
  }

  /** Where a statement that reads finds what the instance would find. */
  reading(statement: RegisteredStatement): Connection {
    const { host, state, changed, sharesReads } = this.#places
    if (!sharesReads || !changed.readsInitial(statement)) {
      this.#weigh(statement)
      return this.own()
    }
    const { base } = host
    base.random = state.random
    return base
  }

  fetch(statement: RegisteredStatement, bindings: Bindings, limit?: number): FetchedRows {
    return this.reading(statement).fetch(statement, bindings, limit)
  }

  run(statement: RegisteredStatement, bindings: Bindings): RunReport {
    this.#weigh(statement)
    this.#places.changed.writes(statement)
    const own = this.own()
    if (statement.orderMatters === 'always') this.#unrepeatable = true
    try {
      const done = own.run(statement, bindings)
      this.#changes += done.allChanges
      return done
    } catch (thrown) {
      this.#failed = true
      if (statement.orderMatters !== 'never') this.#unrepeatable = true
      if (this.#saved && !undoneBySqlite(thrown)) for (const table of statement.writes) own.partlyWritten.add(table)
      throw thrown
    }
  }

  /** From here on writes can be taken back, until they are kept. To be called before each. */
  save(): void {
    if (this.#saved) return
    this.own().control('SAVEPOINT tool_call')
    this.#saved = true
  }

  keep(): void {
    if (this.#saved) this.own().control('RELEASE tool_call')
    this.#saved = false
  }

  /** Takes back what was written since {@link save}. After OR ROLLBACK there is nothing left to take back. */
  takeBack(): void {
    if (this.#saved && !this.lost) {
      this.own().control('ROLLBACK TO tool_call')
      this.own().control('RELEASE tool_call')
      this.#failed = false
    }
    this.#saved = false
  }

  /** @throws {OutgrownStatement} */
  #weigh(statement: RegisteredStatement): void {
    const { host, changed } = this.#places
    const changes = changed.size + this.#changes
    if (host.growth.holds(statement, changes)) return
    try {
      const changesOf = (table: number) => (changed.wrote(table) ? changed.sizeOf(table) + this.#changes : 0)
      host.growth.weigh(statement, { changes, changesOf })
    } catch (thrown) {
      // Triggers that note what is written count as changes too.
      this.#unrepeatable = true
      throw thrown
    }
  }
}
