import type Database from 'better-sqlite3'
import type { DatabaseImage } from '../image/database-image.ts'
import type { SqliteRow, SqliteValue } from '../sqlite/cell.ts'
import { openConnection, SeededRandom } from '../sqlite/open-connection.ts'
import { createCountedViews, visitFunction } from './counted-views.ts'
import { boundFoundTexts } from './found-texts.ts'
import { boundJoinedTexts } from './joined-texts.ts'
import { type QueryBounds, QueryMeter, QueryStopped } from './query-meter.ts'
import { QueryVetter, type QueryVetting, type VettedQuery } from './query-vetting.ts'

export interface QueryLimits extends QueryBounds {
  /** Rows that are shown at most. */
  readonly limit: number
}

export interface QueryAnswer {
  readonly rows: readonly SqliteRow[]
  /** What kept further rows out; null when these are all. */
  readonly cut: 'rows' | 'characters' | null
}

/** Longest result, in characters of its values and, for every row, the names of its columns. */
const mostCharacters = 100_000

/** What a value takes in a result, roughly; a number's length is not worth counting. */
const lengthOf = (value: SqliteValue): number =>
  typeof value === 'string' ? value.length : Buffer.isBuffer(value) ? Math.ceil(value.length * 1.34) : 8

/**
 * A database that nothing but queries of policies runs on. Its tables lie behind views that count every row looked at,
 * which bounds the work of a query without a look at the clock and lets it be ended in the middle.
 */
export class QueryConnection {
  readonly #database: Database.Database
  readonly #vetter: QueryVetter
  readonly #meter = new QueryMeter()
  #random = new SeededRandom(0)

  /** @param bytes - the state to read: the image's own bytes, or those that an instance has made of them. */
  constructor(bytes: Buffer, { clock, tables }: DatabaseImage) {
    this.#database = openConnection(bytes, clock, { next: () => this.#random.next() }, this.#meter)
    this.#database.function(visitFunction, { varargs: true }, () => this.#meter.visit())
    boundJoinedTexts(this.#database, this.#meter)
    boundFoundTexts(this.#database, this.#meter)
    this.#database.exec('PRAGMA temp_store = MEMORY')
    createCountedViews(this.#database, tables)
    this.#database.exec('PRAGMA query_only = ON')
    this.#vetter = new QueryVetter(this.#database, tables, bytes.length)
  }

  vet(sql: string, { visits }: QueryLimits): QueryVetting {
    return this.#vetter.vet(sql, visits)
  }

  /**
   * @param random - where `random()` draws from.
   * @throws {QueryStopped} when a bound is reached; otherwise what SQLite throws.
   */
  run({ statement, columns, ...traits }: VettedQuery, limits: QueryLimits, random: SeededRandom): QueryAnswer {
    this.#random = random
    const rows: SqliteRow[] = []
    const named = columns.join('').length
    let characters = 0
    this.#meter.start(limits, traits)
    for (const row of statement.iterate()) {
      if (rows.length === limits.limit) return { rows, cut: 'rows' }
      characters += row.reduce<number>((sum, value) => sum + lengthOf(value), named)
      if (characters > mostCharacters) {
        if (rows.length > 0) return { rows, cut: 'characters' }
        throw new QueryStopped('result', `its first row is longer than ${mostCharacters} characters; use substr()`)
      }
      rows.push(row)
      this.#meter.look()
    }
    return { rows, cut: null }
  }

  close(): void {
    this.#database.close()
  }
}
