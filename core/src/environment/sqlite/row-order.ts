import type Database from 'better-sqlite3'
import { rowChange } from './fired-work.ts'
import { isLoop, type Opcode } from './opcodes.ts'
import type { PointWrite } from './point-write.ts'
import { isSymbol, type SqlToken, sqlTokens } from './sql-text.ts'
import { triggerStatements } from './trigger-statements.ts'

/**
 * Whether what a write does depends on the order in which SQLite comes to its rows: never, only in how it fails, or
 * also in what it leaves.
 */
export type OrderMatters = 'never' | 'when it fails' | 'always'

/** A write, as far as order is concerned. */
export interface OrderedWrite {
  readonly tokens: readonly SqlToken[]
  readonly opcodes: readonly Opcode[]
  /** Positions of the tables that it writes. */
  readonly writes: readonly number[]
  readonly firesPrograms: boolean
  readonly usesRandom: boolean
  readonly point: PointWrite | null
}

export interface RowOrderParts {
  readonly database: Database.Database
  /** Positions of tables by the root pages of them and of their indexes. */
  readonly tableOfPage: ReadonlyMap<number, number>
  /** Positions of tables whose own definition replaces rows on conflict. */
  readonly replacing: ReadonlySet<number>
  /** The same question about a trigger's statement; undefined where that is refused. */
  readonly orderOf: (sql: string) => OrderMatters | undefined
}

const uniqueIndexes = `SELECT m.rootpage FROM sqlite_master AS m, pragma_index_list(m.tbl_name) AS l
  WHERE m.type = 'index' AND l.name = m.name AND l."unique"`

const nullingKeys = `SELECT m.rootpage AS page, m.name = f."table" COLLATE NOCASE AS own,
  f.on_delete = 'SET NULL' AS onDelete, f.on_update = 'SET NULL' AS onUpdate
  FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
  WHERE m.type = 'table' AND 'SET NULL' IN (f.on_delete, f.on_update)`

/** A foreign key that is set to NULL when the row that it refers to is gone or takes another key. */
interface NullingKey {
  readonly page: number
  /** Whether it refers to its own table. */
  readonly own: 0 | 1
  readonly onDelete: 0 | 1
  readonly onUpdate: 0 | 1
}

const names = (tokens: readonly SqlToken[], keyword: string): boolean =>
  tokens.some((token) => token.keyword === keyword)

/** What stands before the condition under which rows are written. */
function beforeWhere(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let depth = 0
  const where = tokens.findIndex((token) => {
    if (isSymbol(token, '(')) depth++
    if (isSymbol(token, ')')) depth--
    return depth === 0 && token.keyword === 'WHERE'
  })
  return where < 0 ? tokens : tokens.slice(0, where)
}

const opens = (opcodes: readonly Opcode[], opcode: string, page: (page: number) => boolean): boolean =>
  opcodes.some((instruction) => instruction.opcode === opcode && page(instruction.p2))

/**
 * Where a table has triggers, SQLite first finds all rows that a statement is to write and then writes them in the order
 * of their keys; without, it writes each as it finds it, and copies whole tables at once. This tells which statements may
 * come out differently. Source: sqlite3Update, sqlite3DeleteFrom, sqlite3Insert, xferOptimization, isSetNullAction.
 */
export class RowOrder {
  readonly #parts: RowOrderParts
  readonly #uniquePages: ReadonlySet<number>
  readonly #nulling: readonly NullingKey[]
  #triggers: OrderMatters | undefined

  constructor(parts: RowOrderParts) {
    this.#parts = parts
    this.#uniquePages = new Set(parts.database.prepare(uniqueIndexes).pluck().all() as number[])
    this.#nulling = parts.database.prepare(nullingKeys).all() as NullingKey[]
  }

  of(write: OrderedWrite): OrderMatters {
    if (this.#hidesForeignKey(write) || (write.firesPrograms && this.#ofTriggers() === 'always')) return 'always'
    const oneRow = write.point !== null && write.point.parameter !== null
    if (oneRow || !write.opcodes.some(isLoop)) return 'never'
    return write.usesRandom || this.#interferes(write) ? 'always' : 'when it fails'
  }

  /** Whether what becomes of one row may depend on another that the statement writes as well. */
  #interferes(write: OrderedWrite): boolean {
    const { tokens, opcodes, writes, firesPrograms } = write
    const change = rowChange(tokens)
    switch (change?.events[0]) {
      case 'UPDATE': {
        if (opens(opcodes, 'OpenWrite', (page) => this.#uniquePages.has(page))) return true
        const own = (page: number) => writes.includes(this.#tableOf(page))
        return names(beforeWhere(tokens), 'SELECT') && opens(opcodes, 'OpenRead', own)
      }
      case 'INSERT': {
        // A whole table that is copied at once keeps its row ids.
        if (opcodes.some(({ opcode }) => opcode === 'RowCell' || opcode === 'RowData')) return true
        const changesMore = this.#replaces(write) || change?.events.includes('UPDATE') === true
        return firesPrograms && changesMore && names(tokens, 'SELECT')
      }
      default:
        return false
    }
  }

  #replaces({ tokens, writes }: Pick<OrderedWrite, 'tokens' | 'writes'>): boolean {
    return names(tokens, 'REPLACE') || writes.some((table) => this.#parts.replacing.has(table))
  }

  /** SQLite leaves a foreign key unchecked in a statement that has just set it to NULL elsewhere, if no trigger saw that. */
  #hidesForeignKey(write: OrderedWrite): boolean {
    const own = this.#nulling.filter((key) => key.own === 1 && write.writes.includes(this.#tableOf(key.page)))
    if (own.length === 0) return false
    const upserts = rowChange(write.tokens)?.events.length === 2
    return this.#replaces(write) || (upserts && own.some(({ onUpdate }) => onUpdate === 1))
  }

  #tableOf(page: number): number {
    return this.#parts.tableOfPage.get(page) ?? -1
  }

  /** Found out once, when a statement first fires something; what triggers fire in turn is among it. */
  #ofTriggers(): OrderMatters {
    if (this.#triggers !== undefined) return this.#triggers
    this.#triggers = 'never'
    const triggers = this.#parts.database.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger'").pluck().all()
    const statements = (triggers as string[]).flatMap(triggerStatements)
    const matters = statements.some((sql) => this.#triggerHides(sqlTokens(sql)) || this.#matters(sql))
    this.#triggers = matters ? 'always' : 'when it fails'
    return this.#triggers
  }

  #matters(sql: string): boolean {
    return (this.#parts.orderOf(sql) ?? 'always') === 'always'
  }

  #triggerHides(tokens: readonly SqlToken[]): boolean {
    return this.#nulling.some(({ onDelete, onUpdate }) => {
      if (onDelete === 1 && (names(tokens, 'DELETE') || names(tokens, 'REPLACE'))) return true
      return onUpdate === 1 && names(tokens, 'UPDATE')
    })
  }
}
