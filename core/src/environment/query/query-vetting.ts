import type Database from 'better-sqlite3'
import { messageOf } from '../../errors/rlenv-error.ts'
import type { SqliteValue } from '../sqlite/cell.ts'
import { type OpcodeColumns, opcodeFaults, opcodeOf, openedPages } from '../sqlite/opcodes.ts'
import { type PlanCost, planCost } from '../sqlite/plan-cost.ts'
import { foldName, type SqlToken, sqlTokens } from '../sqlite/sql-text.ts'
import { viewBody } from '../sqlite/statement-text.ts'
import { type PlanColumns, planLineOf } from '../sqlite/statement-vetting.ts'
import { storedRowCount } from '../sqlite/stored-rows.ts'
import type { TableInfo } from '../sqlite/table-info.ts'
import { columnRepetitions } from '../sqlite/text-growth.ts'
import { countedName, isCounted, visitFunction } from './counted-views.ts'
import type { QueryTraits } from './query-meter.ts'
import { queryTextFaults } from './query-text.ts'
import { characterTime, rowWork, searchTimes } from './query-work.ts'
import { ReadTexts } from './read-texts.ts'
import { keptRows, type TextUse, textRoom } from './text-room.ts'
import { writtenOutFaults, writtenOutTables } from './written-out.ts'

type QueryStatement = Database.Statement<[], SqliteValue[]>

/** A query that may run, on the connection that it was vetted on. */
export interface VettedQuery extends QueryTraits {
  readonly statement: QueryStatement
  readonly columns: readonly string[]
  /** Tables that its result depends on, as positions. */
  readonly reads: readonly number[]
}

export type QueryVetting =
  | { readonly ok: true; readonly query: VettedQuery }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Most work between two counted rows: those that subqueries have yielded, which no view counts, by what each may take. */
const mostUncountedWork = 1_000_000

/** Instructions that begin to keep rows: to sort them, to look for equal ones, or for a subquery. */
const keeping = new Set(['SorterOpen', 'OpenEphemeral', 'OpenAutoindex'])

/** Names of tables that a message lists. */
const mostListed = 40

interface QueryText {
  readonly sql: string
  readonly tokens: readonly SqlToken[]
}

function rowFaults(uncounted: number, work: number): string[] {
  const allowed = Math.floor(mostUncountedWork / work)
  if (uncounted <= allowed) return []
  return [
    `joins what subqueries yield and may look at ${uncounted.toExponential(1)} such rows, at most ${allowed} are allowed with what it calculates; join tables on keys instead, or call fewer functions`,
  ]
}

const refused = (faults: readonly string[]): QueryVetting => ({ ok: false, faults })

/** Looks at queries whose author is the policy, on a connection whose tables lie behind views that count their rows. */
export class QueryVetter {
  readonly #database: Database.Database
  readonly #tables: readonly TableInfo[]
  readonly #rowCount: (table: TableInfo) => number
  readonly #tableOfPage = new Map<number, number>()
  readonly #positions: ReadonlyMap<string, number>
  readonly #counted: ReadonlySet<string>
  /** How many copies of one column each view may come to. */
  readonly #views = new Map<string, number>()
  /** How many tables each view comes to. */
  readonly #viewTables = new Map<string, number>()
  readonly #texts: ReadTexts

  /** @param bytes - size of the database. */
  constructor(database: Database.Database, tables: readonly TableInfo[], bytes: number) {
    this.#database = database
    this.#texts = new ReadTexts(database, tables, bytes)
    this.#tables = tables
    this.#rowCount = storedRowCount(database)
    this.#positions = new Map(tables.map((_, position) => [countedName(position), position]))
    this.#counted = new Set(
      [...this.#positions.keys()].filter((_, position) => isCounted(tables[position] as TableInfo)),
    )
    const position = new Map(tables.map((table, index) => [table.name, index]))
    const stored = database.prepare('SELECT type, tbl_name, rootpage, sql FROM main.sqlite_master').raw(true).all()
    for (const [type, name, page, sql] of stored as readonly [string, string, number | null, string | null][]) {
      if (type === 'view') this.#addView(foldName(name), viewBody(sql))
      const table = position.get(name)
      if (table !== undefined && page) this.#tableOfPage.set(page, table)
    }
  }

  #addView(name: string, body: readonly SqlToken[]): void {
    this.#views.set(name, columnRepetitions(body, this.#views))
    this.#viewTables.set(name, writtenOutTables(body, this.#viewTables))
  }

  /** @param most - rows of tables after which the query is ended. */
  vet(sql: string, most: number): QueryVetting {
    const tokens = sqlTokens(sql)
    const faults = [...queryTextFaults(sql, tokens, this.#views), ...writtenOutFaults(tokens, this.#viewTables)]
    if (faults.length > 0) return refused(faults)
    const prepared = this.#prepare(sql)
    return typeof prepared === 'string' ? refused([prepared]) : this.#vetProgram({ sql, tokens }, prepared, most)
  }

  /** The statement, or why it cannot be read. */
  #prepare(sql: string): QueryStatement | string {
    try {
      return this.#database.prepare<[], SqliteValue[]>(sql)
    } catch (thrown) {
      return this.#unreadable(messageOf(thrown))
    }
  }

  /** SQLite's own words; who asked for a table that is not there is told which are. */
  #unreadable(message: string): string {
    const told = `cannot be read: ${message}`
    if (!message.startsWith('no such table')) return told
    const ordinary = new Set(this.#tableOfPage.values())
    const tables = this.#tables.filter((_, position) => ordinary.has(position)).map(({ name }) => name)
    const names = [...tables, ...this.#views.keys()]
    const listed = names.slice(0, mostListed).join(', ')
    return `${told}; there are ${listed}${names.length > mostListed ? ' and others' : ''}`
  }

  #vetProgram({ sql, tokens }: QueryText, statement: QueryStatement, most: number): QueryVetting {
    if (!statement.readonly || !statement.reader) return refused(['does not only read'])
    const opcodes = (this.#explain('EXPLAIN', sql) as readonly OpcodeColumns[]).map(opcodeOf)
    const own = opcodes.filter(({ p4 }) => p4?.startsWith(`${visitFunction}(`) !== true)
    const reads = this.#reads(openedPages(opcodes))
    const { recursive, uncounted } = this.#cost(sql, most)
    const faults = [...opcodeFaults(own), ...rowFaults(uncounted, rowWork(own))]
    if (recursive) faults.push('is recursive, so nothing bounds its length')
    if (reads === null)
      faults.push(
        'reads something other than ordinary tables and views, such as a full-text table or json_each(), whose work nothing bounds',
      )
    if (faults.length > 0 || reads === null) return refused(faults)
    const texts = this.#texts.of(tokens, reads)
    const room = textRoom({ rows: uncounted, time: characterTime(own, searchTimes(tokens)) }, texts)
    if (!room.ok) return refused([room.fault])
    const columns = statement.columns().map(({ name }) => name)
    const traits = {
      sorts: opcodes.some(({ opcode }) => opcode === 'SorterOpen'),
      longestText: room.longestText,
      mostKept: opcodes.some(({ opcode }) => keeping.has(opcode)) ? this.#keptRows(texts, reads, most) : most,
    }
    return { ok: true, query: { statement: statement.raw(true).safeIntegers(true), columns, reads, ...traits } }
  }

  /** What is read once of each row takes no more memory than the database does. */
  #keptRows(texts: TextUse, reads: readonly number[], most: number): number {
    const kept = keptRows(texts, most)
    if (kept === most) return most
    const once = reads.reduce((sum, position) => sum + this.#rowCount(this.#tables[position] as TableInfo), 0)
    return Math.min(most, Math.max(kept, once))
  }

  #cost(sql: string, most: number): PlanCost {
    const plan = (this.#explain('EXPLAIN QUERY PLAN', sql) as readonly PlanColumns[]).map(planLineOf)
    return planCost(plan, {
      rows: (name) => {
        const table = this.#tables[this.#positions.get(name) ?? -1]
        return table === undefined ? undefined : this.#rowCount(table)
      },
      largest: 1,
      counted: { has: (name) => this.#counted.has(name), most },
    })
  }

  #explain(prefix: string, sql: string): readonly unknown[] {
    return this.#database.prepare(`${prefix} ${sql}`).raw(true).all()
  }

  /** Null when it reads more than tables and their indexes. */
  #reads(pages: ReadonlySet<number> | null): readonly number[] | null {
    if (pages === null) return null
    const tables = [...pages].map((page) => this.#tableOfPage.get(page))
    return tables.includes(undefined) ? null : [...new Set(tables as number[])]
  }
}
