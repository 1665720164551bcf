import { sqlExcerpt } from '../sqlite/sql-text.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import { StoredFacts } from '../sqlite/stored-facts.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import type { ChangedRows } from './changed-rows.ts'
import { longestNow } from './changed-texts.ts'
import { GrownVetting } from './grown-vetting.ts'
import type { KeptConnection } from './kept-connection.ts'
import { LengtheningWrites } from './lengthening-writes.ts'
import { OutgrownState } from './outgrown-state.ts'
import { bytesOfUnit, type StateGrowth } from './state-growth.ts'

/** Rows beyond those of the image that calls may leave. Source: measured, a write and its diff take 0.3 s then. */
const mostGained = 50_000

/** Bytes by which one text may be longer than any of the image, and characters that all may gain together. */
const mostLonger = 1_000_000
const mostGainedText = 16_000_000

/** Fewest changed rows, and bytes of a text, for which a statement is weighed: most rollouts stay below. */
const fewestWeighed = 64
const shortestWeighed = 1_024

/** Up to how many changed rows, and bytes of their texts, a statement is known to be within its bounds. */
interface Within {
  readonly changes: number
  readonly longest: number
}

const stepFrom = (start: number, factor: number, count: number): number => {
  let step = start
  while (step < count) step *= factor
  return step
}

const lengthStep = (factor: number, bytes = 0): number =>
  bytes <= shortestWeighed ? 0 : stepFrom(shortestWeighed, factor, bytes)

/** A statement was admitted for the rows of the image; for what earlier calls have made of those it is too much. */
const outgrown = ({ sql }: RegisteredStatement, faults: string): OutgrownState =>
  new OutgrownState(`"${sqlExcerpt(sql)}" is too much for the rows that earlier calls have left: it ${faults}`)

/**
 * Weighs statements anew where an instance's tables and texts may have grown since they were admitted. As no more rows
 * than have changed can be new, longer or alike, one look holds for all instances up to so many.
 */
export class GrowthBounds {
  readonly tables: readonly TableInfo[]
  readonly #base: KeptConnection
  readonly #vetting: GrownVetting
  /** By a statement's id. */
  readonly #within: Within[] = []
  #lengthening: LengtheningWrites | undefined
  #mostChanges: number | undefined
  #longestStored: number | undefined

  constructor(base: KeptConnection, tables: readonly TableInfo[]) {
    this.tables = tables
    this.#base = base
    this.#vetting = new GrownVetting(base, tables)
  }

  /** Most bytes of texts that a statement may yield where they have grown. */
  get mostFetched(): number {
    return this.#base.bytes + 64 * mostLonger
  }

  /** Length, in bytes, of the longest text of the image. */
  get longestStored(): number {
    if (this.#longestStored !== undefined) return this.#longestStored
    const facts = new StoredFacts(this.#base.get().database)
    const lengths = this.tables.flatMap((table) => table.columns.map(({ name }) => facts.lengthOf(table, name)))
    this.#longestStored = Math.max(0, ...lengths)
    return this.#longestStored
  }

  /** Whether a write may leave a longer text than it finds or is given. */
  lengthens(statement: RegisteredStatement): boolean {
    this.#lengthening ??= new LengtheningWrites(this.#base.get().database, this.tables)
    return this.#lengthening.has(statement)
  }

  /**
   * Whether a statement need not be weighed: it was for as much, or it goes through no rows and meets no long text.
   *
   * @param changes - rows that differ; `longest`: bytes of the longest text that became longer; `gained`: characters that texts have gained.
   */
  holds(
    { id, readOnly, loops, firesPrograms }: RegisteredStatement,
    changes: number,
    longest: number,
    gained: number,
  ): boolean {
    if (!readOnly && (changes > this.#most() || gained > mostGainedText)) return false
    if (!loops && !firesPrograms && longest <= shortestWeighed) return true
    const within = this.#within[id]
    return within !== undefined && changes <= within.changes && longest <= within.longest
  }

  /** @throws {OutgrownState} when the statement is too much for the state. */
  weigh(statement: RegisteredStatement, growth: StateGrowth): void {
    const { id, slot, sql, readOnly } = statement
    if (id < 0 && slot >= 0) return
    if (!readOnly) this.#weighWrite(statement, growth)
    const [rows, length] = [stepFrom(fewestWeighed, 4, growth.changes), lengthStep(4, growth.longest)]
    const coarse = { rows: () => rows, length: () => length, overlap: 0 }
    const faults = this.#vetting.faults(sql, `${rows} ${length}`, coarse)
    if (faults !== null || this.#vetting.searched(sql).length > 0) this.#weighEach(statement, growth)
    else if (id >= 0) this.#within[id] = { changes: rows, longest: Math.max(shortestWeighed, length) }
  }

  /** @throws {OutgrownState} when a call has left more text than it may in the tables that it wrote. */
  checkTexts(changed: ChangedRows, written: Iterable<number>): void {
    const { gained, longest } = changed.texts
    if (gained > mostGainedText)
      throw new OutgrownState(
        `it would leave ${gained} characters more than at first, at most ${mostGainedText} may be`,
      )
    if (longest * bytesOfUnit <= mostLonger) return
    const most = this.longestStored + mostLonger
    for (const table of written) {
      const lengths = longestNow(changed.rowsOf(table)).slice(changed.leadOf(table))
      const { name, columns } = this.tables[table] as TableInfo
      lengths.forEach((length, at) => {
        if (length > most)
          throw new OutgrownState(
            `it would leave a text of ${length} bytes in ${name}.${columns[at]?.name}, at most ${most} are allowed`,
          )
      })
    }
  }

  #weighWrite(statement: RegisteredStatement, { changes, gained }: StateGrowth): void {
    const most = this.#most()
    if (changes > most)
      throw outgrown(statement, `writes although no more than ${most} rows may have changed, and ${changes} have`)
    if (gained > mostGainedText)
      throw outgrown(
        statement,
        `writes although no more than ${mostGainedText} characters may have come, and ${gained} have`,
      )
  }

  /** By what has changed in each table. */
  #weighEach(statement: RegisteredStatement, growth: StateGrowth): void {
    const { sql, reads, writes } = statement
    const rows = this.tables.map((_, table) => {
      const changes = growth.changesOf(table)
      return changes === 0 ? 0 : stepFrom(1, 2, changes)
    })
    const lengths = this.tables.map((_, table) => {
      const touched = reads === null || reads.includes(table) || writes.includes(table)
      const longer = touched && rows[table] !== 0 && growth.longest > shortestWeighed
      return longer ? growth.lengthsOf(table).map((length) => lengthStep(2, length)) : []
    })
    const overlaps = this.#vetting.searched(sql).map(([table, column]) => growth.overlapOf(table, column))
    const overlap = stepFrom(1, 2, Math.max(1, ...overlaps))
    const key = `${rows.join()} ${lengths.map((columns) => columns.join()).join(';')} ${overlap}`
    const faults = this.#vetting.faults(sql, key, {
      rows: (table) => rows[table] ?? 0,
      length: (table, column) => lengths[table]?.[column] ?? 0,
      overlap,
    })
    if (faults !== null) throw outgrown(statement, faults)
  }

  /** Every row of the image may change, and so many more may come. */
  #most(): number {
    if (this.#mostChanges !== undefined) return this.#mostChanges
    const rowCount = storedRowCount(this.#base.get().database)
    this.#mostChanges = this.tables.reduce((sum, table) => sum + rowCount(table), mostGained)
    return this.#mostChanges
  }
}
