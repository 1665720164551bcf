import type Database from 'better-sqlite3'
import { messageOf } from '../../errors/rlenv-error.ts'
import { mostChanges, mostRowVisits } from './admitted-sql.ts'
import { FiredWork, rowChange } from './fired-work.ts'
import {
  isLoop,
  type Opcode,
  type OpcodeColumns,
  opcodeFaults,
  opcodeOf,
  openedPages,
  reportsRowid,
  searchedCollations,
  yieldsOneRow,
} from './opcodes.ts'
import { type PlanLine, planCost } from './plan-cost.ts'
import { type PlanNamesParts, planNames, withViews } from './plan-names.ts'
import { type PointWrite, pointWrite } from './point-write.ts'
import { positionalSql } from './positional-sql.ts'
import { timeFault } from './program-time.ts'
import { lookedUp, rowLookupSql } from './row-lookup.ts'
import { type OrderedWrite, type OrderMatters, RowOrder } from './row-order.ts'
import { type SearchText, searchTexts } from './search-texts.ts'
import { searchedLiteralFaults, searchFactor, storedSearch, storedSearchFault } from './searched-operands.ts'
import { SearchingDefinitions } from './searching-definitions.ts'
import { foldName, type SqlToken, sqlTokens } from './sql-text.ts'
import { isUpsert, textFaults, viewBody } from './statement-text.ts'
import { StoredFacts } from './stored-facts.ts'
import { storedRowCount } from './stored-rows.ts'
import { StoredTexts } from './stored-texts.ts'
import type { TableInfo } from './table-info.ts'
import { columnRepetitions, growthFaults } from './text-growth.ts'

/** A statement that was looked at and may run. */
export interface VettedStatement {
  readonly sql: string
  /** The same, or one that reads the same row, with `?` for its parameters in their order; null when it must be bound by name. */
  readonly positional: string | null
  /** Names of its `@name` parameters, each once, in the order in which they first appear. */
  readonly parameters: readonly string[]
  /** Names of its result columns; empty for a statement that returns nothing. */
  readonly columns: readonly string[]
  /** Tables whose rows it may change, triggers and cascades included; positions in the vetter's table list, ascending. */
  readonly writes: readonly number[]
  /** Tables that its result depends on, as positions; null when that may be more than tables, as with virtual ones. */
  readonly reads: readonly number[] | null
  readonly readOnly: boolean
  /** Whether it runs trigger or foreign-key programs, whose changes its own count does not hold. */
  readonly firesPrograms: boolean
  /** Whether its program holds no loop, so that it never yields a second row. */
  readonly single: boolean
  /** Whether it goes through rows, so that more of them may take it longer. */
  readonly loops: boolean
  /** Upper bound of row visits at vetting. */
  readonly visits: number
  /** Whether a failing or partial statement may leave something behind: OR ROLLBACK, OR FAIL. */
  readonly partial: boolean
  /** Whether it draws from `random()`. */
  readonly usesRandom: boolean
  /** Parameters whose texts are to be looked at before it runs, see `searchFault`. */
  readonly searchTexts: readonly SearchText[]
  /**
   * Whether the row id that the driver reports is that of a row which it inserted, if it changed any. Not so for tables
   * without row ids and for upserts, after which the driver still reports an earlier INSERT's, perhaps another rollout's.
   */
  readonly inserts: boolean
  /** Set when it can touch one row only. */
  readonly point: PointWrite | null
  /** Whether it may come out differently where triggers note which rows it writes. */
  readonly orderMatters: OrderMatters
}

export type Vetting =
  | { readonly ok: true; readonly statement: VettedStatement }
  | { readonly ok: false; readonly faults: readonly string[] }

/** What a database's schema holds; `name` is that of the table, for what belongs to one. */
interface StoredObject {
  readonly type: string
  readonly name: string
  readonly page: number | null
  readonly sql: string | null
}

/** A statement that changes more rows is weighed with those that its triggers add on the way. */
const fewChanges = 8

export type PlanColumns = readonly [id: number, parent: number, unused: number, detail: string]

export const planLineOf = ([id, parent, , detail]: PlanColumns): PlanLine => ({ id, parent, detail })

/**
 * Looks at SQL before it may run: EXPLAIN takes the place of the authoriser that the driver lacks. Parameters cannot
 * change the program, so one look at a text holds for every call.
 */
export class StatementVetter {
  readonly #database: Database.Database
  readonly #mostVisits: number
  readonly #tables: readonly TableInfo[]
  readonly #names: PlanNamesParts
  readonly #tableOfPage = new Map<number, number>()
  readonly #virtual: readonly number[]
  readonly #replacing = new Set<number>()
  /** How many copies of one column each view may come to. */
  readonly #views = new Map<string, number>()
  /** Tables whose own definition or triggers stop a statement halfway without taking back what it did. */
  readonly #failing = new Set<number>()
  readonly #texts: StoredTexts
  readonly #searching = new SearchingDefinitions()
  #fired: FiredWork | null = null
  /** Whether its tables count with the rows that one statement adds to them on the way. */
  #grown = false
  #order: RowOrder | null = null

  /** @param rowCount - rows that a table is taken to have; by default those it has now. */
  constructor(
    database: Database.Database,
    tables: readonly TableInfo[],
    rowCount = storedRowCount(database),
    facts = new StoredFacts(database),
    mostVisits = mostRowVisits,
  ) {
    this.#mostVisits = mostVisits
    this.#database = database
    this.#tables = tables
    const views = new Map<string, readonly SqlToken[]>()
    this.#names = { tables, rowCount, facts, views }
    const position = new Map(tables.map((table, index) => [foldName(table.name), index]))
    const stored = database.prepare('SELECT type, tbl_name AS name, rootpage AS page, sql FROM sqlite_master').all()
    for (const object of stored as readonly StoredObject[]) {
      const tokens = sqlTokens(object.sql ?? '')
      const name = foldName(object.name)
      if (object.type === 'view') {
        views.set(name, viewBody(object.sql))
        this.#views.set(name, columnRepetitions(viewBody(object.sql), this.#views))
      }
      const table = position.get(name)
      if (table !== undefined) this.#noteDefinition(table, object.page, tokens)
    }
    const paged = new Set(this.#tableOfPage.values())
    this.#virtual = tables.map((_, index) => index).filter((index) => !paged.has(index))
    const [tableOfPage, virtual] = [this.#tableOfPage, this.#virtual]
    this.#texts = new StoredTexts({ database, tables, tableOfPage, virtual, facts: this.#names.facts })
  }

  /** Notes what belongs to a table: itself, an index or a trigger. */
  #noteDefinition(table: number, page: number | null, tokens: readonly SqlToken[]): void {
    if (page) this.#tableOfPage.set(page, table)
    if (page) this.#searching.note(page, tokens)
    if (tokens.some(({ keyword }) => keyword === 'REPLACE')) this.#replacing.add(table)
    if (tokens.some(({ keyword }) => keyword === 'FAIL')) this.#failing.add(table)
  }

  vet(sql: string): Vetting {
    const tokens = sqlTokens(sql)
    const text = [...textFaults(sql, tokens), ...growthFaults(tokens, this.#views), ...searchedLiteralFaults(tokens)]
    if (text.length > 0) return { ok: false, faults: text }
    const parameters = [...new Set(tokens.filter((token) => token.kind === 'parameter').map((token) => token.text))]
    try {
      return this.#vetProgram(sql, tokens, parameters)
    } catch (thrown) {
      return { ok: false, faults: [messageOf(thrown)] }
    }
  }

  #vetProgram(sql: string, tokens: readonly SqlToken[], parameters: readonly string[]): Vetting {
    const statement = this.#database.prepare(sql)
    const opcodes = this.#explain<OpcodeColumns>('EXPLAIN', sql, parameters).map(opcodeOf)
    const plan = this.#explain<PlanColumns>('EXPLAIN QUERY PLAN', sql, parameters).map(planLineOf)
    const writes = this.#writes(opcodes)
    const firesPrograms = opcodes.some((opcode) => opcode.opcode === 'Program')
    const loops = { writes: !statement.readonly, collations: searchedCollations(opcodes) }
    const names = planNames(this.#names, tokens, loops)
    const cost = planCost(plan, names)
    const fired = firesPrograms ? this.#firedVisits(tokens, cost.rows) : 0
    const texts = [...withViews(tokens, this.#names.views), ...this.#searching.openedBy(opcodes)]
    const search = storedSearch(texts, this.#tables, this.#names.facts)
    const visits = cost.visits * searchFactor(search) + cost.rows * fired
    const faults = opcodeFaults(opcodes)
    const searchFault = storedSearchFault(search)
    if (searchFault !== null) faults.push(searchFault)
    if (cost.recursive) faults.push('is recursive, so nothing bounds its length')
    if (visits > this.#mostVisits) {
      const help = fired > 1 ? 'index what its triggers and foreign keys look for' : 'join on keys'
      faults.push(`may visit ${visits.toExponential(1)} rows, at most ${this.#mostVisits} are allowed; ${help}`)
    }
    if (!statement.readonly && cost.rows > mostChanges)
      faults.push(`may change ${cost.rows.toExponential(1)} rows, at most ${mostChanges} are allowed`)
    const late = faults.length === 0 ? timeFault(opcodes, this.#texts.facts(visits, names.unpacked)) : null
    if (late !== null) faults.push(late)
    if (faults.length > 0) return { ok: false, faults }
    const point = firesPrograms ? null : this.#point(tokens, plan, writes)
    const usesRandom = opcodes.some((opcode) => opcode.p4?.startsWith('random(') === true)
    const written = { tokens, opcodes, writes, firesPrograms, usesRandom, point }
    const vetted: VettedStatement = {
      sql,
      positional: this.#positional(sql, tokens),
      parameters,
      columns: statement.reader ? statement.columns().map((column) => column.name) : [],
      writes,
      reads: this.#reads(opcodes),
      readOnly: statement.readonly,
      firesPrograms,
      single: yieldsOneRow(opcodes),
      loops: opcodes.some(isLoop),
      visits,
      partial: this.#isPartial(tokens, writes),
      usesRandom,
      searchTexts: searchTexts(tokens, plan),
      inserts: reportsRowid(opcodes) && !isUpsert(tokens),
      point,
      orderMatters: statement.readonly ? 'never' : this.#orderMatters(written),
    }
    return { ok: true, statement: vetted }
  }

  #orderMatters(write: OrderedWrite): OrderMatters {
    this.#order ??= new RowOrder({
      database: this.#database,
      tableOfPage: this.#tableOfPage,
      replacing: this.#replacing,
      orderOf: (sql) => {
        const vetting = this.vet(sql)
        return vetting.ok ? vetting.statement.orderMatters : undefined
      },
    })
    return this.#order.of(write)
  }

  #isPartial(tokens: readonly SqlToken[], writes: readonly number[]): boolean {
    if (writes.some((table) => this.#failing.has(table))) return true
    return tokens.some((token) => token.keyword === 'ROLLBACK' || token.keyword === 'FAIL')
  }

  #positional(sql: string, tokens: readonly SqlToken[]): string | null {
    const table = lookedUp(tokens, this.#tables)
    return table === undefined ? positionalSql(sql, tokens) : rowLookupSql(table)
  }

  /** A table whose own definition replaces rows on conflict may lose others than the one that is written. */
  #point(tokens: readonly SqlToken[], plan: readonly PlanLine[], writes: readonly number[]): PointWrite | null {
    const [position, ...others] = writes
    const table = position === undefined ? undefined : this.#tables[position]
    if (position === undefined || table === undefined || others.length > 0 || this.#replacing.has(position)) return null
    return pointWrite({ tokens, plan, position, table })
  }

  /** Lines as arrays, which the driver makes in half the time of objects. */
  #explain<Line>(prefix: string, sql: string, parameters: readonly string[]): readonly Line[] {
    const statement = this.#database.prepare(`${prefix} ${sql}`).raw(true)
    const nothing = Object.fromEntries(parameters.map((name) => [name, null]))
    return (parameters.length > 0 ? statement.all(nothing) : statement.all()) as readonly Line[]
  }

  /** What each changed row sets off. Found out once, when a statement first sets something off. */
  #firedVisits(tokens: readonly SqlToken[], rows: number): number {
    const change = rowChange(tokens)
    if (change === null) return 0
    const { tables, rowCount, facts } = this.#names
    const replacing = [...this.#replacing].some((table) => foldName(tables[table]?.name ?? '') === change.target)
    const whole = { ...change, replaces: change.replaces || replacing }
    if (this.#grown || rows <= fewChanges) return this.#firedWork().visits(whole)
    const growing = this.#firedWork().growing(change)
    const count = (table: TableInfo) => rowCount(table) + (growing.has(foldName(table.name)) ? rows : 0)
    const grown = new StatementVetter(this.#database, tables, count, facts)
    grown.#grown = true
    return grown.#firedWork().doubles(change) ? Number.POSITIVE_INFINITY : grown.#firedWork().visits(whole)
  }

  #firedWork(): FiredWork {
    const visits = (sql: string) => {
      const vetting = this.vet(sql)
      return vetting.ok ? vetting.statement.visits : Number.POSITIVE_INFINITY
    }
    this.#fired ??= new FiredWork({ database: this.#database, ...this.#names, visits })
    return this.#fired
  }

  #reads(opcodes: readonly Opcode[]): readonly number[] | null {
    const pages = openedPages(opcodes)
    if (pages === null) return null
    const tables = [...pages].map((page) => this.#tableOfPage.get(page))
    return tables.includes(undefined) ? null : [...new Set(tables as number[])]
  }

  #writes(opcodes: readonly Opcode[]): readonly number[] {
    const written = new Set<number>()
    for (const { opcode, p1, p2 } of opcodes) {
      if (opcode === 'VUpdate') for (const table of this.#virtual) written.add(table)
      const page = opcode === 'OpenWrite' ? p2 : opcode === 'Clear' ? p1 : undefined
      const table = page === undefined ? undefined : this.#tableOfPage.get(page)
      if (table !== undefined) written.add(table)
    }
    return [...written].sort((a, b) => a - b)
  }
}
