import type Database from 'better-sqlite3'
import type { Connection } from '../sqlite/connection.ts'
import { StatementVetter, type Vetting } from '../sqlite/statement-vetting.ts'
import { StoredFacts, type StoredGrowth } from '../sqlite/stored-facts.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import type { KeptConnection } from './kept-connection.ts'

/** What has become of the state for which statements are vetted. */
interface VettedGrowth extends StoredGrowth {
  readonly mostVisits: number
}

/** What is true of a connection's rows, which nobody changes. */
interface ConnectionFacts {
  readonly facts: StoredFacts
  readonly rowCount: (table: TableInfo) => number
}

const known = new WeakMap<Database.Database, ConnectionFacts>()

function factsOf(database: Database.Database): ConnectionFacts {
  const found = known.get(database) ?? { facts: new StoredFacts(database), rowCount: storedRowCount(database) }
  known.set(database, found)
  return found
}

/** Vets statements on a connection that may be closed between two of them. */
export class BaseVetter {
  readonly #base: KeptConnection
  readonly #tables: readonly TableInfo[]
  readonly #growth: VettedGrowth | undefined
  #vetter: StatementVetter | null = null
  #connection: Connection | null = null

  constructor(base: KeptConnection, tables: readonly TableInfo[], growth?: VettedGrowth) {
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
    const growth = this.#growth
    const { facts, rowCount } = factsOf(database)
    if (growth === undefined) return new StatementVetter(database, this.#tables, rowCount, facts)
    const grown = (table: TableInfo) => rowCount(table) + growth.rows(table)
    const grownFacts = new StoredFacts(database, growth, facts)
    return new StatementVetter(database, this.#tables, grown, grownFacts, growth.mostVisits)
  }
}
