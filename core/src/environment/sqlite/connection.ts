import type Database from 'better-sqlite3'
import type { BoundValue, SqliteRow } from './cell.ts'
import { openConnection, type SeededRandom } from './open-connection.ts'
import type { RegisteredStatement } from './statement-registry.ts'

/** Values by parameter name. */
export type Bindings = Readonly<Record<string, BoundValue>>

export interface FetchedRows {
  readonly rows: readonly SqliteRow[]
  /** True when the statement had more rows than were asked for. */
  readonly more: boolean
}

/** What became of a write. */
export interface RunReport {
  /** Rows that it changed itself. */
  readonly changes: number
  /** The same with those that triggers and foreign keys changed, our own triggers included. */
  readonly allChanges: number
  /** Row id of the connection's last INSERT. */
  readonly rowid: bigint
  /** Where the random numbers of a write that drew some began, so that it can be repeated; otherwise null. */
  readonly random: SeededRandom | null
}

/** Below this bound of row visits a whole result is fetched at once, which is faster than row by row. */
const smallVisits = 4_096

/** How far a database may grow beyond its image, in bytes. Then writes fail and it stays usable. */
const mostGrowthBytes = 64 * 1024 * 1024

/** Pages that a database may have. Source: the page size at offset 16 of SQLite's file format, where 1 stands for 65,536. */
function mostPages(bytes: Buffer): number {
  const stated = bytes.length >= 100 ? bytes.readUInt16BE(16) : 4_096
  const pageSize = stated === 1 ? 65_536 : stated
  return Math.ceil((bytes.length + mostGrowthBytes) / pageSize)
}

/** One open database with its prepared statements, each prepared at its first use. */
export class Connection {
  readonly database: Database.Database
  /** Where `random()` draws from; may be exchanged between two statements. */
  random: SeededRandom
  /** Tables, by position, that statements ran on which may leave something behind when they fail. */
  readonly partlyWritten = new Set<number>()
  #pageCount: Database.Statement<[], number> | null = null
  #pageSize: number | null = null
  #totalChanges: Database.Statement<[], number> | null = null
  readonly #prepared: (Database.Statement<unknown[], unknown> | undefined)[] = []

  constructor(bytes: Buffer, clock: string, random: SeededRandom) {
    this.random = random
    this.database = openConnection(bytes, clock, { next: () => this.random.next() })
    this.database.exec(`PRAGMA max_page_count = ${mostPages(bytes)}`)
  }

  #prepare(statement: RegisteredStatement): Database.Statement<unknown[], unknown> {
    const kept = statement.slot < 0 ? undefined : this.#prepared[statement.slot]
    if (kept !== undefined) return kept
    const fresh = this.database.prepare<unknown[], unknown>(statement.positional ?? statement.sql)
    if (statement.columns.length > 0) fresh.raw(true)
    fresh.safeIntegers(true)
    if (statement.slot >= 0) this.#prepared[statement.slot] = fresh
    return fresh
  }

  /** At most `limit` rows in column order, integers as bigint. */
  fetch(statement: RegisteredStatement, bindings: Bindings, limit = Number.POSITIVE_INFINITY): FetchedRows {
    const prepared = this.#prepare(statement)
    const values = valuesOf(statement, bindings)
    if (statement.single) {
      const row = prepared.get(...values) as SqliteRow | undefined
      return { rows: row === undefined ? [] : [row], more: false }
    }
    if (statement.visits <= smallVisits || limit === Number.POSITIVE_INFINITY) {
      const rows = prepared.all(...values) as SqliteRow[]
      return rows.length > limit ? { rows: rows.slice(0, limit), more: true } : { rows, more: false }
    }
    const rows: SqliteRow[] = []
    for (const row of this.iterate(statement, bindings)) {
      if (rows.length === limit) return { rows, more: true }
      rows.push(row)
    }
    return { rows, more: false }
  }

  /** Rows one by one; nothing else may run on the connection meanwhile. */
  iterate(statement: RegisteredStatement, bindings: Bindings): IterableIterator<SqliteRow> {
    return this.#prepare(statement).iterate(...valuesOf(statement, bindings)) as IterableIterator<SqliteRow>
  }

  /** Every row of a statement without parameters. */
  all(statement: RegisteredStatement): readonly SqliteRow[] {
    return this.#prepare(statement).all() as SqliteRow[]
  }

  run(statement: RegisteredStatement, bindings: Bindings): RunReport {
    if (statement.partial) for (const table of statement.writes) this.partlyWritten.add(table)
    const random = statement.usesRandom ? this.random.copy() : null
    const before = statement.firesPrograms ? this.#changesSoFar() : 0
    const done = this.#prepare(statement).run(...valuesOf(statement, bindings))
    const changes = Number(done.changes)
    const allChanges = statement.firesPrograms ? this.#changesSoFar() - before : changes
    return { changes, allChanges, rowid: BigInt(done.lastInsertRowid), random }
  }

  /** Rows that were changed since the connection was opened. */
  #changesSoFar(): number {
    this.#totalChanges ??= this.database.prepare<[], number>('SELECT total_changes()').pluck()
    return this.#totalChanges.get() as number
  }

  /** Size of the database, which no value in it exceeds. */
  get bytes(): number {
    this.#pageCount ??= this.database.prepare<[], number>('PRAGMA page_count').pluck().safeIntegers(false)
    this.#pageSize ??= this.database.pragma('page_size', { simple: true }) as number
    return (this.#pageCount.get() as number) * this.#pageSize
  }

  /** Transaction control: BEGIN, ROLLBACK, SAVEPOINT and their kin. Preparing them would only pay off after many. */
  control(sql: string): void {
    this.database.exec(sql)
  }

  close(): void {
    this.database.close()
  }
}

const none: readonly unknown[] = []

/** What the driver is to bind. */
function valuesOf({ parameters, positional }: RegisteredStatement, bindings: Bindings): readonly unknown[] {
  const [first, second] = parameters
  if (first === undefined) return none
  if (positional === null) return [bindings]
  return second === undefined ? [bindings[first]] : parameters.map((name) => bindings[name])
}
