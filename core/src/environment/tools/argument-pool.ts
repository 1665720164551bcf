import type { RandomStream } from '../../determinism/random-stream.ts'
import type { StateReader } from '../../hooks/world.ts'
import type { Cell } from '../../vocabulary/database.ts'
import type { Json } from '../../vocabulary/json.ts'

/** Most values kept of one column. */
const mostValues = 500

/** A word without its plural ending; enough to lead `customer_id` to `customers` and `category_id` to `categories`. */
function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ses|xes|ches|shes)$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()

function asJson(cell: Cell): Json | undefined {
  return cell === null || typeof cell === 'object' ? undefined : cell
}

/** Values that a world holds, by column, for arguments that shall meet something. Reads each table at its first use. */
export class ArgumentPool {
  readonly #state: StateReader
  /** By table, then column. */
  readonly #byColumn = new Map<string, Map<string, readonly Json[]>>()
  /** Columns by plain name. */
  readonly #columns = new Map<string, { readonly table: string; readonly column: string }[]>()

  constructor(state: StateReader) {
    this.#state = state
    for (const table of state.tables) {
      const [row] = state.rows(table)
      for (const column of Object.keys(row ?? {})) {
        this.#note(plain(column), table, column)
        if (plain(column) === 'id') this.#note(`${plain(singular(table.toLowerCase()))}id`, table, column)
      }
    }
  }

  /** Names of the tables that the values are from. */
  get tables(): readonly string[] {
    return this.#state.tables
  }

  #note(name: string, table: string, column: string): void {
    const known = this.#columns.get(name)
    if (known === undefined) this.#columns.set(name, [{ table, column }])
    else known.push({ table, column })
  }

  #values(table: string, column: string): readonly Json[] {
    const columns = this.#byColumn.get(table) ?? new Map<string, readonly Json[]>()
    const known = columns.get(column)
    if (known !== undefined) return known
    const cells = this.#state
      .rows(table)
      .slice(0, mostValues)
      .map((row) => asJson(row[column] ?? null))
    const values = [...new Set(cells.filter((value) => value !== undefined))]
    this.#byColumn.set(table, columns.set(column, values))
    return values
  }

  /** One value of a column that an argument's name points to, preferably in one of these tables; undefined for none. */
  pick(name: string, random: RandomStream, tables: readonly string[] = []): Json | undefined {
    const places = this.#columns.get(plain(name)) ?? []
    const near = places.filter((place) => tables.includes(place.table))
    const usable = (near.length > 0 ? near : places).filter(
      ({ table, column }) => this.#values(table, column).length > 0,
    )
    if (usable.length === 0) return undefined
    const { table, column } = random.pick(usable)
    return random.pick(this.#values(table, column))
  }
}
