import type { StateDiff } from '../../vocabulary/state-diff.ts'
import { type SqliteRow, textLength } from '../sqlite/cell.ts'
import type { Bindings, Connection, FetchedRows, RunReport } from '../sqlite/connection.ts'
import { sqlExcerpt } from '../sqlite/sql-text.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import type { CallEffects } from '../tools/call-effects.ts'
import type { ChangedRows, TouchedRows } from './changed-rows.ts'
import type { GrowthBounds } from './growth-bounds.ts'
import type { InstanceState } from './instance-state.ts'
import { OutgrownState } from './outgrown-state.ts'
import { bytesOfUnit, StateGrowth } from './state-growth.ts'

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

/** Length of an argument's text, in UTF-16 units, that makes little difference to a state: to one row, or to many. */
const shortForOne = 65_536
const shortForMany = 256

/** From so many gained characters on, copies of rows can go beyond the bound of texts. */
const muchGained = 1_000_000

/** From so many bytes on, texts that many rows yield together can be too much for the memory. */
const longForResult = 65_536

const tooLong = ({ sql }: RegisteredStatement, most: number): OutgrownState =>
  new OutgrownState(
    `"${sqlExcerpt(sql)}" would yield more than ${most} characters of texts that earlier calls have left`,
  )

function longestOf(bindings: Bindings): number {
  let longest = 0
  for (const name in bindings) longest = Math.max(longest, textLength(bindings[name]))
  return longest
}

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
  /** Tables that they may have written, the bytes of the longest text they were given, and whether they may have made a longer one. */
  #written: Set<number> | null = null
  #longest = 0
  #lengthened = false
  /** What {@link keep} has taken in. */
  #touched: ReadonlyMap<number, TouchedRows> | null = null
  #diff: StateDiff = []

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

  /** Every row that differs from before the call, once it was kept. */
  get diff(): StateDiff {
    return this.#diff
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
  #reading(statement: RegisteredStatement): Connection {
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
    const connection = this.#reading(statement)
    const { host, changed } = this.#places
    const longest = Math.max(changed.texts.longest * bytesOfUnit, this.#longestWritten())
    if (longest <= longForResult) return connection.fetch(statement, bindings, limit)
    const rows: SqliteRow[] = []
    let text = 0
    for (const row of connection.iterate(statement, bindings)) {
      if (rows.length === limit) return { rows, more: true }
      for (const value of row) text += textLength(value)
      if (text > host.growth.mostFetched) throw tooLong(statement, host.growth.mostFetched)
      rows.push(row)
    }
    return { rows, more: false }
  }

  run(statement: RegisteredStatement, bindings: Bindings): RunReport {
    this.#weigh(statement)
    this.#places.changed.writes(statement)
    const own = this.own()
    if (this.#mayGrow(statement, bindings)) this.save()
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

  /** @throws {OutgrownState} when a text has become too long; nothing is kept then. */
  keep(effects: CallEffects): void {
    const { state } = this.#places
    // On a log's state it is tried once more, on a database of its own.
    if (!this.unrepeatable || state.kind === 'clone') this.#take(effects)
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
    if (this.#touched !== null) this.#places.changed.take(this.own(), this.#touched)
    this.#touched = null
    this.#diff = []
  }

  /** Notes what a write that is to run may do to texts. Returns whether what it leaves must be looked at. */
  #mayGrow(statement: RegisteredStatement, bindings: Bindings): boolean {
    const given = longestOf(bindings)
    const lengthens = this.#places.host.growth.lengthens(statement)
    this.#written ??= new Set()
    for (const table of statement.writes) this.#written.add(table)
    if (lengthens) this.#lengthened = true
    this.#longest = Math.max(this.#longest, given * bytesOfUnit)
    if (statement.point !== null) return lengthens || given > shortForOne
    return lengthens || given > shortForMany || this.#places.changed.texts.gained > muchGained
  }

  #take(effects: CallEffects): void {
    effects.suspect(this.partlyWritten)
    if (effects.tables.size === 0) return
    const { host, state, changed } = this.#places
    this.#touched = state.touched(effects)
    this.#diff = changed.take(this.own(), this.#touched)
    if (this.#saved) host.growth.checkTexts(changed, this.#touched.keys())
  }

  /** @throws {OutgrownState} */
  #weigh(statement: RegisteredStatement): void {
    const { host, changed } = this.#places
    const changes = changed.size + this.#changes
    if (changes === 0) return
    const { growth } = host
    const longest = this.#longestWritten()
    const { texts } = changed
    if (growth.holds(statement, changes, Math.max(longest, texts.longest * bytesOfUnit), texts.gained)) return
    const call = {
      changes: this.#changes,
      tables: this.#written ?? nothing,
      longest,
      database: () => this.own().database,
    }
    try {
      growth.weigh(statement, new StateGrowth(growth.tables, changed, call))
    } catch (thrown) {
      // Triggers that note what is written count as changes too.
      this.#unrepeatable = true
      throw thrown
    }
  }

  /** Length, in bytes, that a text may have which the call has written: it may be copied from the image. */
  #longestWritten(): number {
    if (this.#written === null) return 0
    if (this.#lengthened) return this.own().bytes
    return Math.max(this.#longest, this.#places.host.growth.longestStored)
  }
}
