import type Database from 'better-sqlite3'
import type { TableScan } from '../diff/table-diff.ts'
import type { SqliteRow, SqliteValue } from '../sqlite/cell.ts'
import { quoteName } from '../sqlite/sql-text.ts'

/** Tables with longer keys are scanned. */
const widestKey = 8

/** A name that no object of the database has, so that no statement of a tool can mean it. */
function freeName(database: Database.Database): string {
  const taken = database.prepare('SELECT lower(name) FROM sqlite_master').pluck().all() as string[]
  let name = 'rlenv_written'
  while (taken.some((other) => other.startsWith(name))) name += '_'
  return name
}

/**
 * Notes the keys of the rows that statements write, by TEMP triggers, which see what cascades and other triggers do as
 * well. They see no rows that REPLACE deletes. The notes live in the connection's transaction and are taken back with it.
 */
export class WriteWatch {
  readonly #database: Database.Database
  readonly #scans: readonly TableScan[]
  readonly #log: string
  readonly #watched = new Set<number>()
  readonly #refused = new Set<number>()
  readonly #read: Database.Statement
  readonly #clear: Database.Statement

  /** Must be made, like {@link add}, outside of a transaction. */
  constructor(database: Database.Database, scans: readonly TableScan[]) {
    this.#database = database
    this.#scans = scans
    this.#log = quoteName(freeName(database))
    const keys = Array.from({ length: widestKey }, (_, index) => `k${index}`)
    database.prepare(`CREATE TEMP TABLE ${this.#log} (position, ${keys.join(', ')})`).run()
    // Not DISTINCT, which takes 1 and 1.0 for the same key.
    this.#read = database.prepare(`SELECT * FROM temp.${this.#log}`).raw().safeIntegers()
    this.#clear = database.prepare(`DELETE FROM temp.${this.#log}`)
  }

  has(table: number): boolean {
    return this.#watched.has(table)
  }

  /** Watches a table from now on, if that can be done: not for virtual tables. */
  add(table: number): void {
    const scan = this.#scans[table]
    if (scan === undefined || this.#watched.has(table) || this.#refused.has(table)) return
    if (scan.identity.length > widestKey) {
      this.#refused.add(table)
      return
    }
    try {
      for (const [event, rows] of triggerEvents) this.#database.prepare(this.#trigger(table, scan, event, rows)).run()
      this.#watched.add(table)
    } catch {
      // Virtual tables have no triggers; their writes are found by a scan.
      this.#refused.add(table)
    }
  }

  /** The keys that were written since the last time, by table. */
  drain(): ReadonlyMap<number, readonly SqliteRow[]> {
    const keys = new Map<number, SqliteRow[]>()
    for (const [position, ...values] of this.#read.all() as readonly SqliteValue[][]) {
      const table = Number(position)
      const key = values.slice(0, this.#scans[table]?.identity.length)
      const known = keys.get(table)
      if (known === undefined) keys.set(table, [key])
      else known.push(key)
    }
    if (keys.size > 0) this.#clear.run()
    return keys
  }

  /** Forgets what was written. */
  clear(): void {
    if (this.#watched.size > 0) this.#clear.run()
  }

  #trigger(table: number, scan: TableScan, event: string, rows: readonly string[]): string {
    const name = quoteName(`${this.#log.slice(1, -1)}_${table}_${event}`)
    const columns = scan.identity.map((_, index) => `k${index}`).join(', ')
    const notes = rows.map((row) => {
      const key = scan.identity.map((column) => `${row}.${scan.lead === 1 ? column : quoteName(column)}`).join(', ')
      return `INSERT INTO ${this.#log} (position, ${columns}) VALUES (${table}, ${key});`
    })
    return `CREATE TEMP TRIGGER ${name} AFTER ${event} ON main.${quoteName(scan.table)} BEGIN ${notes.join(' ')} END`
  }
}

const triggerEvents = [
  ['INSERT', ['NEW']],
  ['UPDATE', ['OLD', 'NEW']],
  ['DELETE', ['OLD']],
] as const
