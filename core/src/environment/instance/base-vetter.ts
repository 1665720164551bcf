import type { Connection } from '../sqlite/connection.ts'
import { StatementVetter, type Vetting } from '../sqlite/statement-vetting.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import type { KeptConnection } from './kept-connection.ts'

/** Vets statements on a connection that may be closed between two of them. */
export class BaseVetter {
  readonly #base: KeptConnection
  readonly #tables: readonly TableInfo[]
  #vetter: StatementVetter | null = null
  #connection: Connection | null = null

  constructor(base: KeptConnection, tables: readonly TableInfo[]) {
    this.#base = base
    this.#tables = tables
  }

  vet(sql: string): Vetting {
    const connection = this.#base.get()
    if (this.#vetter === null || this.#connection !== connection) {
      this.#vetter = new StatementVetter(connection.database, this.#tables)
      this.#connection = connection
    }
    return this.#vetter.vet(sql)
  }
}
