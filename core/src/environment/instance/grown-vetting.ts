import { mostRowVisits } from '../sqlite/admitted-sql.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import { BaseVetter } from './base-vetter.ts'
import type { KeptConnection } from './kept-connection.ts'

/** Most row visits of a grown statement: what is admitted close to the bound may still be used when a few rows come. */
const mostGrownVisits = 4 * mostRowVisits

/** The same for texts: so many times longer ones than it is vetted for. */
const lengthAllowance = 4

/** States for which statements are kept weighed. */
const mostVetters = 64

/** By how much a state differs from the image, in steps, so that one look holds for many; columns go by their position. */
export interface GrownState {
  readonly rows: (table: number) => number
  /** In bytes. */
  readonly length: (table: number, column: number) => number
  /** How much changed texts repeat themselves that are searched for, see `selfOverlap`. */
  readonly overlap: number
}

/** Faults of statements by their text, null for none, of one state. */
interface GrownVetter {
  readonly vetter: BaseVetter
  readonly faults: Map<string, string | null>
}

/** A column of a table, by its position. */
export type SearchedColumn = readonly [table: number, column: string]

/** Vets statements for states that differ from the image. */
export class GrownVetting {
  readonly #base: KeptConnection
  readonly #tables: readonly TableInfo[]
  readonly #vetters = new Map<string, GrownVetter>()
  /** Columns whose texts statements search for, by their text. */
  readonly #searched = new Map<string, readonly SearchedColumn[]>()
  #asked: SearchedColumn[] = []

  constructor(base: KeptConnection, tables: readonly TableInfo[]) {
    this.#base = base
    this.#tables = tables
  }

  /** @param key - equal for equal states only. */
  faults(sql: string, key: string, state: GrownState): string | null {
    const { vetter, faults } = this.#vetterOf(key, state)
    const known = faults.get(sql)
    if (known !== undefined) return known
    this.#asked = []
    const vetting = vetter.vet(sql)
    this.#searched.set(sql, this.#asked)
    const found = vetting.ok ? null : vetting.faults.join('; ')
    faults.set(sql, found)
    return found
  }

  /** Columns whose texts a statement searches for, once it was vetted. */
  searched(sql: string): readonly SearchedColumn[] {
    return this.#searched.get(sql) ?? []
  }

  #vetterOf(key: string, state: GrownState): GrownVetter {
    const known = this.#vetters.get(key)
    if (known !== undefined) return known
    if (this.#vetters.size >= mostVetters) this.#vetters.clear()
    const fresh = { vetter: this.#vetter(state), faults: new Map<string, string | null>() }
    this.#vetters.set(key, fresh)
    return fresh
  }

  #vetter({ rows, length, overlap }: GrownState): BaseVetter {
    const position = (table: TableInfo) => this.#tables.indexOf(table)
    return new BaseVetter(this.#base, this.#tables, {
      mostVisits: mostGrownVisits,
      rows: (table) => rows(position(table)),
      length: (table, column) => {
        const at = table.columns.findIndex(({ name }) => name === column)
        return length(position(table), at) / lengthAllowance
      },
      overlap: (table, column) => {
        this.#asked.push([position(table), column])
        return overlap
      },
    })
  }
}
