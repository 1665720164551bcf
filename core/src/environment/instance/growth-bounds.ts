import { mostRowVisits } from '../sqlite/admitted-sql.ts'
import { sqlExcerpt } from '../sqlite/sql-text.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import { BaseVetter } from './base-vetter.ts'
import type { KeptConnection } from './kept-connection.ts'

/** Rows beyond those of the image that calls may leave. Source: measured, a write and its diff take 0.3 s then. */
const mostGained = 50_000

/** Most row visits of a grown statement: what is admitted close to the bound may still be used when a few rows come. */
const mostGrownVisits = 4 * mostRowVisits

/** Fewest changed rows for which a statement is weighed: most rollouts stay below. */
const fewestWeighed = 64

/** Sizes of tables for which statements are kept weighed. */
const mostVetters = 64

/** A statement was admitted for the rows of the image; for what earlier calls have made of those it is too much. */
export class OutgrownStatement extends Error {
  constructor(statement: RegisteredStatement, faults: string) {
    super(`"${sqlExcerpt(statement.sql)}" is too much for the rows that earlier calls have left: it ${faults}`)
    this.name = 'OutgrownStatement'
  }
}

/** How many rows of an instance differ from the image, at most: together, and in one table by its position. */
export interface Growth {
  readonly changes: number
  readonly changesOf: (table: number) => number
}

/** A statement's faults, null for none, by its text. */
interface GrownVetter {
  readonly vetter: BaseVetter
  readonly faults: Map<string, string | null>
}

const stepFrom = (start: number, factor: number, rows: number): number => {
  let step = start
  while (step < rows) step *= factor
  return step
}

/**
 * Weighs statements anew where an instance's tables may have grown since they were admitted. As no more rows than have
 * changed can be new or have become alike, one look holds for all instances up to so many.
 */
export class GrowthBounds {
  readonly #base: KeptConnection
  readonly #tables: readonly TableInfo[]
  /** Up to how many changed rows a statement is known to be within its bounds, by its id. */
  readonly #within: number[] = []
  /** By the changes in each table, or in all alike. */
  readonly #vetters = new Map<string, GrownVetter>()
  #mostChanges: number | undefined

  constructor(base: KeptConnection, tables: readonly TableInfo[]) {
    this.#base = base
    this.#tables = tables
  }

  /** Whether a statement need not be weighed after so many changes. */
  holds({ id }: RegisteredStatement, changes: number): boolean {
    return changes === 0 || changes <= (this.#within[id] ?? 0)
  }

  /** @throws {OutgrownStatement} */
  weigh(statement: RegisteredStatement, { changes, changesOf }: Growth): void {
    const { id, slot, readOnly } = statement
    if (id < 0 && slot >= 0) return
    if (!readOnly && changes > this.#most()) {
      const limit = `no more than ${this.#most()} rows may have changed, and ${changes} have`
      throw new OutgrownStatement(statement, `writes although ${limit}`)
    }
    const step = stepFrom(fewestWeighed, 4, changes)
    if (this.#faults(statement, String(step), () => step) === null) {
      if (id >= 0) this.#within[id] = Math.min(step, this.#most())
      return
    }
    const steps = this.#tables.map((_, table) => (changesOf(table) === 0 ? 0 : stepFrom(1, 2, changesOf(table))))
    const faults = this.#faults(statement, steps.join(), (table) => steps[table] ?? 0)
    if (faults !== null) throw new OutgrownStatement(statement, faults)
  }

  #faults({ sql }: RegisteredStatement, key: string, grown: (table: number) => number): string | null {
    const known = this.#vetters.get(key)
    const { vetter, faults } = known ?? {
      vetter: this.#vetter(grown),
      faults: new Map<string, string | null>(),
    }
    if (known === undefined) {
      if (this.#vetters.size >= mostVetters) this.#vetters.clear()
      this.#vetters.set(key, { vetter, faults })
    }
    const found = faults.get(sql)
    if (found !== undefined) return found
    const vetting = vetter.vet(sql)
    const told = vetting.ok ? null : vetting.faults.join('; ')
    faults.set(sql, told)
    return told
  }

  #vetter(grown: (table: number) => number): BaseVetter {
    const growth = { rows: (table: TableInfo) => grown(this.#tables.indexOf(table)), mostVisits: mostGrownVisits }
    return new BaseVetter(this.#base, this.#tables, growth)
  }

  /** Every row of the image may change, and so many more may come. */
  #most(): number {
    if (this.#mostChanges !== undefined) return this.#mostChanges
    const rowCount = storedRowCount(this.#base.get().database)
    this.#mostChanges = this.#tables.reduce((sum, table) => sum + rowCount(table), mostGained)
    return this.#mostChanges
  }
}
