import type Database from 'better-sqlite3'
import { foldName, isSymbol, quoteName, type SqlToken, sqlTokens } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'
import { comparingStatements } from './trigger-statements.ts'

export type RowEvent = 'INSERT' | 'UPDATE' | 'DELETE'

/** What a statement does to the rows of what it names. */
export interface RowChange {
  readonly events: readonly RowEvent[]
  /** Whether it deletes rows that are in the way. */
  readonly replaces: boolean
  /** Table or view, in lower case. */
  readonly target: string
}

/** A foreign key, seen from the table that it refers to. */
interface Cascade {
  readonly child: TableInfo
  readonly columns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

interface ForeignKeyColumn {
  readonly id: number
  readonly table: string
  readonly from: string
  readonly on_update: string
  readonly on_delete: string
}

/** Rows that a look-up by an index is taken to find at least. */
const fewVisits = 4

const isEvent = (word: string): word is RowEvent => word === 'INSERT' || word === 'UPDATE' || word === 'DELETE'

/** Behind these words of a statement stands what it changes, perhaps with its database's name before it. */
function targetOf(tokens: readonly SqlToken[], verb: number): string {
  const start = tokens.findIndex(
    ({ keyword }, index) => index > verb && !/^(?:OR|REPLACE|IGNORE|ABORT|FAIL|ROLLBACK|INTO|FROM)$/.test(keyword),
  )
  const name = tokens[start + 1]?.text === '.' ? tokens[start + 2] : tokens[start]
  return foldName(name?.text ?? '')
}

/** Where the word stands that says what a statement does; -1 for one that only reads. */
function verbOf(tokens: readonly SqlToken[]): number {
  let depth = 0
  return tokens.findIndex(({ kind, text, keyword }) => {
    if (kind === 'symbol' && text === '(') depth++
    if (kind === 'symbol' && text === ')') depth--
    return depth === 0 && (isEvent(keyword) || keyword === 'REPLACE')
  })
}

/** Null for a statement that only reads. */
export function rowChange(tokens: readonly SqlToken[]): RowChange | null {
  const verb = verbOf(tokens)
  if (verb < 0) return null
  const { keyword } = tokens[verb] as SqlToken
  const event = isEvent(keyword) ? keyword : 'INSERT'
  const upserts = tokens.some((token, at) => token.keyword === 'DO' && tokens[at + 1]?.keyword === 'UPDATE')
  const replaces = tokens.some((token, at) => token.keyword === 'REPLACE' && !isSymbol(tokens[at + 1], '('))
  return { events: upserts ? [event, 'UPDATE'] : [event], replaces, target: targetOf(tokens, verb) }
}

/** Whether a foreign key's action changes the rows that refer to one. */
const changesRows = (action: string): boolean => action === 'CASCADE' || action.startsWith('SET ')

export interface FiredWorkParts {
  readonly database: Database.Database
  readonly tables: readonly TableInfo[]
  readonly rowCount: (table: TableInfo) => number
  readonly facts: StoredFacts
  /** Row visits of a trigger's statement, with all that it fires in turn. */
  readonly visits: (sql: string) => number
}

/** What one changed row sets off: triggers, and foreign keys that change the rows which refer to it. */
export class FiredWork {
  readonly #parts: FiredWorkParts
  /** Statements of triggers, by their event and the table or view that they are on. */
  readonly #triggers = new Map<string, string[]>()
  readonly #cascades = new Map<string, Cascade[]>()
  readonly #known = new Map<string, number>()

  constructor(parts: FiredWorkParts) {
    this.#parts = parts
    const { database, tables } = parts
    const triggers = database.prepare("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'").raw().all()
    for (const [table, sql] of triggers as readonly (readonly [string, string])[]) {
      const event = sqlTokens(sql).find(({ keyword }) => isEvent(keyword))?.keyword ?? ''
      const key = `${event} ${foldName(table)}`
      const statements = comparingStatements(database, { sql, owner: table }, tables)
      this.#triggers.set(key, [...(this.#triggers.get(key) ?? []), ...statements])
    }
    for (const child of tables) this.#addCascades(child)
  }

  /** Row visits for one row of each event. Whatever is looked at already counts nothing again: no trigger fires itself. */
  visits({ events, replaces, target }: RowChange): number {
    const own = events.reduce((sum, event) => sum + this.#ofEvent(event, target), 0)
    return replaces ? own + this.#ofCascades('DELETE', target, false) : own
  }

  /** Tables, by their folded names, that get rows by one of each event: its own, and those of all triggers that it fires. */
  growing(change: RowChange): ReadonlySet<string> {
    const changes = [change, ...this.#fired(change).map(({ change: fired }) => fired)]
    return new Set(changes.flatMap(({ events, target }) => (events.includes('INSERT') ? target : [])))
  }

  /** Whether a trigger adds rows by how many there are of those that it adds, so that each changed row doubles them. */
  doubles(change: RowChange): boolean {
    const growing = this.growing(change)
    return this.#fired(change).some(({ change: fired, sql }) => {
      const names = sqlTokens(sql).map(({ text }) => foldName(text))
      const read = names.slice(names.indexOf(fired.target) + 1)
      return (
        fired.events.includes('INSERT') && read.some((name) => growing.has(name)) && this.#parts.visits(sql) > fewVisits
      )
    })
  }

  /** What the triggers of a change do, and those that they fire in turn. */
  #fired(change: RowChange): readonly { readonly change: RowChange; readonly sql: string }[] {
    const found: { change: RowChange; sql: string }[] = []
    const seen = new Set<string>()
    const pending = [change]
    for (const { events, target } of pending)
      for (const key of events.map((event) => `${event} ${target}`).filter((key) => !seen.has(key))) {
        seen.add(key)
        for (const sql of this.#triggers.get(key) ?? []) {
          const fired = rowChange(sqlTokens(sql))
          if (fired === null) continue
          found.push({ change: fired, sql })
          pending.push(fired)
        }
      }
    return found
  }

  #addCascades(child: TableInfo): void {
    const listed = this.#parts.database.pragma(`main.foreign_key_list(${quoteName(child.name)})`)
    const keys = new Map<number, ForeignKeyColumn[]>()
    for (const column of listed as readonly ForeignKeyColumn[])
      keys.set(column.id, [...(keys.get(column.id) ?? []), column])
    for (const columns of keys.values()) {
      const [{ table, on_delete: onDelete, on_update: onUpdate }] = columns as [ForeignKeyColumn]
      const cascade = { child, columns: columns.map(({ from }) => from), onDelete, onUpdate }
      const parent = foldName(table)
      this.#cascades.set(parent, [...(this.#cascades.get(parent) ?? []), cascade])
    }
  }

  /** @param nested - whether something fired does it, which the plan of no statement shows. */
  #ofEvent(event: RowEvent, target: string, nested = false): number {
    const key = `${event} ${target}`
    const known = this.#known.get(`${key} ${nested}`)
    if (known !== undefined) return known
    this.#known.set(`${key} ${nested}`, 0)
    const fired = (this.#triggers.get(key) ?? []).reduce((sum, sql) => sum + this.#parts.visits(sql), 0)
    const visits = fired + (event === 'INSERT' ? 0 : this.#ofCascades(event, target, nested))
    this.#known.set(`${key} ${nested}`, visits)
    return visits
  }

  #ofCascades(event: 'UPDATE' | 'DELETE', parent: string, nested: boolean): number {
    const cascades = this.#cascades.get(parent) ?? []
    return cascades.reduce((sum, cascade) => sum + this.#ofCascade(event, parent, { ...cascade, nested }), 0)
  }

  #ofCascade(event: 'UPDATE' | 'DELETE', parent: string, cascade: Cascade & { readonly nested: boolean }): number {
    const { child, columns, onDelete, onUpdate, nested } = cascade
    const action = event === 'DELETE' ? onDelete : onUpdate
    if (!changesRows(action) && !nested) return 0
    const { rowCount, facts } = this.#parts
    const rows = Math.max(1, rowCount(child))
    const group = Math.max(1, facts.largestGroup(child, columns))
    const search = facts.isIndexed(child, columns) ? group : rows
    if (!changesRows(action)) return search
    // Deleting what refers to itself goes on until no row is left.
    if (foldName(child.name) === parent && event === 'DELETE' && action === 'CASCADE') return rows * search
    const next: RowEvent = action === 'CASCADE' ? event : 'UPDATE'
    return search + group * (1 + this.#ofEvent(next, foldName(child.name), true))
  }
}
