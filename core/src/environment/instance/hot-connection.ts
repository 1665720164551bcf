import type { TableScan } from '../diff/table-diff.ts'
import type { DatabaseImage } from '../image/database-image.ts'
import type { SqliteRow } from '../sqlite/cell.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import type { CallEffects, LoggedWrite } from '../tools/call-effects.ts'
import type { TouchedRows } from './changed-rows.ts'
import type { WriteLog } from './instance-state.ts'
import { KeptConnection } from './kept-connection.ts'
import { repeatWrites } from './repeat-writes.ts'
import { WatchHazards } from './watch-hazards.ts'
import { WriteWatch } from './write-watch.ts'

/** A state that is known by the writes that lead to it. */
export interface ReplayableState {
  readonly log: WriteLog
  /** Where the state's own random numbers come from. */
  readonly random: SeededRandom
}

export interface HotConnectionParts {
  readonly image: DatabaseImage
  readonly scans: readonly TableScan[]
  readonly open: () => Connection
  /** A connection to the image in its initial state. */
  readonly base: () => Connection
}

/** RAISE (IGNORE) cuts the triggers short that would have noted a row. */
const cutsTriggersShort = /\bRAISE\s*\(\s*IGNORE\b/i

/**
 * The one connection that all replayed instances of an environment share. It stands in one state at a time, inside a
 * transaction; another state is entered by rolling back and carrying its writes out again.
 */
export class HotConnection {
  readonly #parts: HotConnectionParts
  readonly #kept: KeptConnection
  #connection: Connection | null = null
  #watch: WriteWatch | null = null
  #state: ReplayableState | null = null
  /** Whether the transaction may hold writes. */
  #written = false
  /** Tables that were scanned because nobody watched them; they are watched from the next transaction on. */
  readonly #wanted = new Set<number>()
  readonly #watchable: boolean
  #hazards: WatchHazards | undefined

  constructor(parts: HotConnectionParts) {
    this.#parts = parts
    this.#kept = new KeptConnection(parts.open, parts.image.bytes.length)
    this.#watchable = !parts.image.schema.some((sql) => cutsTriggersShort.test(sql))
  }

  /** The connection, standing in this state; until another state is entered. */
  enter(state: ReplayableState): Connection {
    const connection = this.#kept.get()
    if (connection !== this.#connection) this.#begin(connection)
    else if (this.#state === state) return connection
    else if (this.#written) this.#begin(connection)
    this.#state = state
    connection.random = state.random
    if (state.log.length > 0) this.#replay(connection, state.log)
    return connection
  }

  /** To be called before a state's own writes. */
  writing(): void {
    this.#written = true
  }

  /** What the calls since {@link writing} touched, by row where that is known. Takes the tables that are not into view. */
  touched(effects: CallEffects): ReadonlyMap<number, TouchedRows> {
    const unknown = [...effects.tables.keys()].filter((table) => effects.tables.get(table) === null)
    if (unknown.length === 0) return effects.tables
    const touched = new Map<number, TouchedRows>(effects.tables)
    let keys: ReadonlyMap<number, readonly SqliteRow[]> | undefined
    for (const table of unknown) {
      if (this.#hides(table, effects.writes)) continue
      if (this.#watch?.has(table) === true) {
        keys ??= this.#watch.drain()
        touched.set(table, keys.get(table) ?? [])
      } else this.#wanted.add(table)
    }
    return touched
  }

  /**
   * After a call that failed: a write that took its whole transaction along leaves nothing to go on with.
   *
   * @param traces - whether a failed write may have left rows behind, so that the state must be entered anew.
   */
  recover(state: ReplayableState, traces: boolean): void {
    if (this.#state !== state) return
    if (this.#connection?.database.inTransaction === false) this.close()
    else if (traces) this.#state = null
  }

  /** Forgets a state that is not needed any more, and with it what it wrote. */
  leave(state: ReplayableState): void {
    this.recover(state, false)
    if (this.#state !== state || this.#connection === null) return
    if (this.#written) this.#begin(this.#connection)
    this.#state = null
  }

  /** Closes the connection until it is entered again; states are not lost. */
  close(): void {
    this.#state = null
    this.#connection = null
    this.#watch = null
    this.#kept.close()
  }

  /** Starts a transaction, and before it watches what is wanted. */
  #begin(connection: Connection): void {
    this.#state = null
    if (connection.database.inTransaction) connection.control('ROLLBACK')
    if (connection !== this.#connection) this.#watch = null
    this.#connection = connection
    if (this.#wanted.size > 0 && this.#watchable) {
      this.#watch ??= new WriteWatch(connection.database, this.#parts.scans)
      for (const table of this.#wanted) this.#watch.add(table)
    }
    connection.control('BEGIN')
    this.#written = false
  }

  #replay(connection: Connection, log: ReplayableState['log']): void {
    this.#written = true
    try {
      for (const writes of log) repeatWrites(connection, writes)
      this.#watch?.clear()
    } catch (cause) {
      this.#state = null
      throw cause
    }
  }

  #hides(table: number, writes: readonly LoggedWrite[]): boolean {
    this.#hazards ??= new WatchHazards(this.#parts.base(), this.#parts.image)
    const hazards = this.#hazards
    return writes.some(({ statement }) => hazards.hides(statement, table))
  }
}
