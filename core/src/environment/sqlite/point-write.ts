import type { PlanLine } from './plan-cost.ts'
import { foldName, type SqlToken } from './sql-text.ts'
import type { TableInfo } from './table-info.ts'

/**
 * A write that can touch one row only, so that its effect is known without a scan: the inserted row, or the row whose
 * id a parameter gives.
 */
export interface PointWrite {
  /** Position of the table. */
  readonly table: number
  /** Parameter that holds the row id; null for the row that the statement inserts. */
  readonly parameter: string | null
}

interface WriteFacts {
  readonly tokens: readonly SqlToken[]
  readonly plan: readonly PlanLine[]
  /** Position of the only table written, and the table. */
  readonly position: number
  readonly table: TableInfo
}

/** Tokens outside of all parentheses. */
function outerTokens(tokens: readonly SqlToken[]): SqlToken[] {
  let depth = 0
  return tokens.filter((token) => {
    if (token.kind === 'symbol' && token.text === '(') depth++
    if (token.kind === 'symbol' && token.text === ')') depth--
    return depth === 0
  })
}

const isName = (token: SqlToken | undefined, name: string): boolean =>
  (token?.kind === 'word' || token?.kind === 'quoted') && foldName(token.text) === foldName(name)

const isEquals = (token: SqlToken | undefined): boolean => token?.kind === 'symbol' && token.text === '='

/** The parameter of `WHERE key = @parameter`, alone or as the first of conditions joined by AND. */
function keyParameter(tokens: readonly SqlToken[], key: string): string | null {
  const where = tokens.findIndex((token) => token.keyword === 'WHERE')
  if (where < 0) return null
  const [name, equals, value, next] = tokens.slice(where + 1, where + 5)
  if (!isName(name, key) || !isEquals(equals) || value?.kind !== 'parameter') return null
  const ends = next === undefined || next.keyword === 'AND' || next.text === ';'
  return ends && !tokens.slice(where).some((token) => token.keyword === 'OR') ? value.text : null
}

function setsKey(tokens: readonly SqlToken[], key: string): boolean {
  const set = tokens.findIndex((token) => token.keyword === 'SET')
  const where = tokens.findIndex((token) => token.keyword === 'WHERE')
  return tokens.slice(set, where).some((token, index, part) => isName(token, key) && isEquals(part[index + 1]))
}

/** What is known of a write's reach; null when a scan must find out. Only for tables whose key is the row id. */
export function pointWrite({ tokens, plan, position, table }: WriteFacts): PointWrite | null {
  const [key] = table.primaryKey
  const words = new Set(tokens.map((token) => token.keyword))
  if (!table.keyIsRowid || key === undefined || words.has('REPLACE') || words.has('CONFLICT')) return null
  const verb = tokens[0]?.keyword
  if (verb === 'INSERT') return { table: position, parameter: null }
  if (verb !== 'UPDATE' && verb !== 'DELETE') return null
  const outer = outerTokens(tokens)
  if (verb === 'UPDATE' && (outer.some((token) => token.keyword === 'FROM') || setsKey(outer, key))) return null
  const byKey = /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)$/.test(plan[0]?.detail ?? '')
  const parameter = byKey ? keyParameter(outer, key) : null
  return parameter === null ? null : { table: position, parameter }
}
