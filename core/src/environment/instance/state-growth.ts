import type Database from 'better-sqlite3'
import { foldName } from '../sqlite/sql-text.ts'
import { StoredFacts } from '../sqlite/stored-facts.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import type { ChangedRows } from './changed-rows.ts'
import { longestNow, mostOverlapNow } from './changed-texts.ts'

/** Most bytes that one UTF-16 unit takes. */
export const bytesOfUnit = 3

/** What the call under way has written, which no diff tells yet. */
export interface CallWrites {
  /** Rows that it has changed. */
  readonly changes: number
  /** Length, in bytes, that one of its texts may have. */
  readonly longest: number
  /** Tables that it may have written. */
  readonly tables: ReadonlySet<number>
  readonly database: () => Database.Database
}

/** By how much an instance's state may differ from the image, at most; tables and columns go by their position. */
export class StateGrowth {
  readonly #tables: readonly TableInfo[]
  readonly #changed: ChangedRows
  readonly #call: CallWrites
  readonly #lengths = new Map<number, readonly number[]>()
  #stored: StoredFacts | undefined

  constructor(tables: readonly TableInfo[], changed: ChangedRows, call: CallWrites) {
    this.#tables = tables
    this.#changed = changed
    this.#call = call
  }

  /** Rows that differ. */
  get changes(): number {
    return this.#changed.size + this.#call.changes
  }

  /** Rows of a table that differ. */
  changesOf(table: number): number {
    return this.#changed.wrote(table) ? this.#changed.sizeOf(table) + this.#call.changes : 0
  }

  /** Characters that texts have gained. */
  get gained(): number {
    return this.#changed.texts.gained
  }

  /** Length, in bytes, of the longest text that became longer. */
  get longest(): number {
    return Math.max(this.#call.longest, this.#changed.texts.longest * bytesOfUnit)
  }

  /** Length, in bytes, of the longest text of each column of a table that may have become longer. */
  lengthsOf(table: number): readonly number[] {
    const known = this.#lengths.get(table)
    if (known !== undefined) return known
    const lengths = this.#call.tables.has(table) ? this.#storedLengths(table) : this.#changedLengths(table)
    this.#lengths.set(table, lengths)
    return lengths
  }

  /** The most that a changed text of a column repeats itself, see `selfOverlap`. */
  overlapOf(table: number, column: string): number {
    if (this.changesOf(table) === 0) return 0
    const info = this.#tables[table] as TableInfo
    if (this.#call.tables.has(table)) return this.#storedFacts().mostOverlap([info], [foldName(column)])
    const at = info.columns.findIndex(({ name }) => name === column)
    return mostOverlapNow(this.#changed.rowsOf(table), at + this.#changed.leadOf(table))
  }

  #storedLengths(table: number): readonly number[] {
    const info = this.#tables[table] as TableInfo
    return info.columns.map(({ name }) => this.#storedFacts().lengthOf(info, name))
  }

  #changedLengths(table: number): readonly number[] {
    return longestNow(this.#changed.rowsOf(table)).slice(this.#changed.leadOf(table))
  }

  /** As the call under way has left them. */
  #storedFacts(): StoredFacts {
    this.#stored ??= new StoredFacts(this.#call.database())
    return this.#stored
  }
}
