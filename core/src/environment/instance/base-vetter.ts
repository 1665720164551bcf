import type Database from 'better-sqlite3'
import { mostRowVisits } from '../sqlite/admitted-sql.ts'
import type { Connection } from '../sqlite/connection.ts'
import { StatementVetter, type Vetting } from '../sqlite/statement-vetting.ts'
import { StoredFacts } from '../sqlite/stored-facts.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import type { KeptConnection } from './kept-connection.ts'

/** What has become of the rows for which statements are vetted. */
interface VettedGrowth {
  /** Rows of a table that may be new or have become like others. */
  readonly rows: (table: TableInfo) => number
  readonly mostVisits: number
}

const noGrowth: VettedGrowth = { rows: () => 0, mostVisits: mostRowVisits }

/** Vets statements on a connection that may be closed between two of them. */
export class BaseVetter {
  readonly #base: KeptConnection
  readonly #tables: readonly TableInfo[]
  readonly #growth: VettedGrowth
  #vetter: StatementVetter | null = null
  #connection: Connection | null = null

  constructor(base: KeptConnection, tables: readonly TableInfo[], growth = noGrowth) {
    this.#base = base
    this.#tables = tables
    this.#growth = growth
  }

  vet(sql: string): Vetting {
    const connection = this.#base.get()
    if (this.#vetter === null || this.#connection !== connection) {
      this.#vetter = this.#grownVetter(connection.database)
      this.#connection = connection
    }
    return this.#vetter.vet(sql)
  }

  #grownVetter(database: Database.Database): StatementVetter {
    const { rows, mostVisits } = this.#growth
    const stored = storedRowCount(database)
    const rowCount = (table: TableInfo) => stored(table) + rows(table)
    return new StatementVetter(database, this.#tables, rowCount, new StoredFacts(database, rows), mostVisits)
  }
}
