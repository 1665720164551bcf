import { operandAt, type SearchRole, searchedTextFault, secondArgument } from './search-texts.ts'
import { isSymbol, type SqlToken } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'

/** The most that stored texts which are searched for may repeat themselves, see `selfOverlap`. */
const mostOverlap = 256

/** As much as they may do so without a look at a row taking longer. */
const usualOverlap = 32

interface Search {
  /** How the search is written, for messages. */
  readonly by: string
  readonly role: SearchRole
  /** What is searched for. */
  readonly operand: readonly SqlToken[]
}

const operators: Readonly<Record<string, SearchRole>> = { LIKE: 'pattern', GLOB: 'pattern', MATCH: 'query' }
/** Functions whose second argument is searched for in the first. */
const searching: Readonly<Record<string, SearchRole>> = {
  TRIM: 'characters',
  LTRIM: 'characters',
  RTRIM: 'characters',
  INSTR: 'pattern',
  REPLACE: 'pattern',
}

function searches(tokens: readonly SqlToken[]): readonly Search[] {
  return tokens.flatMap(({ keyword, text }, index): Search[] => {
    const role = Object.hasOwn(operators, keyword) ? operators[keyword] : undefined
    if (role !== undefined) return [{ by: text, role, operand: operandAt(tokens, index + 1) }]
    const called = Object.hasOwn(searching, keyword) ? searching[keyword] : undefined
    if (called === undefined || !isSymbol(tokens[index + 1], '(')) return []
    const start = secondArgument(tokens, index + 1)
    return start === undefined ? [] : [{ by: `${text}()`, role: called, operand: operandAt(tokens, start) }]
  })
}

/** Texts written into a statement that it would search for too long; found before SQLite sees it. */
export function searchedLiteralFaults(tokens: readonly SqlToken[]): string[] {
  return searches(tokens).flatMap(({ by, role, operand }) => {
    const literal = operand.map((token) => (token.kind === 'string' ? token.text.slice(1, -1) : '')).join('')
    const fault = searchedTextFault(role, literal)
    return fault === null ? [] : [`has a text after ${by} that ${fault}`]
  })
}

const namesOf = (tokens: readonly SqlToken[]): string[] =>
  tokens.filter(({ kind }) => kind === 'word' || kind === 'quoted').map(({ text }) => text.toLowerCase())

/** A search for stored texts. */
export interface StoredSearch {
  /** How it is written, for messages. */
  readonly by: string
  /** The most that one of the texts repeats itself, see `selfOverlap`. */
  readonly overlap: number
}

/**
 * The search of a statement for those stored texts that repeat themselves most, as they are when it is looked at; null
 * without any. Names of columns count in whatever table; behind a subquery's own name any column of the statement may stand.
 */
export function storedSearch(
  tokens: readonly SqlToken[],
  tables: readonly TableInfo[],
  facts: StoredFacts,
): StoredSearch | null {
  const columns = new Set(tables.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())))
  const anywhere = namesOf(tokens).filter((name) => columns.has(name))
  const found = searches(tokens).map(({ by, operand }) => {
    const named = namesOf(operand)
    const known = named.filter((name) => columns.has(name))
    return { by, overlap: facts.mostOverlap(tables, named.length > 0 && known.length === 0 ? anywhere : known) }
  })
  return found.reduce<StoredSearch | null>((most, one) => (one.overlap > (most?.overlap ?? 0) ? one : most), null)
}

/** Why stored texts may not be searched for; null when they may. */
export function storedSearchFault(search: StoredSearch | null): string | null {
  if (search === null || search.overlap <= mostOverlap) return null
  return `takes what ${search.by} looks for from a column whose texts repeat themselves ${search.overlap} times, at most ${mostOverlap} are allowed`
}

/** How much longer a look at one row takes for the sake of a search. */
export const searchFactor = (search: StoredSearch | null): number =>
  Math.max(1, Math.ceil((search?.overlap ?? 0) / usualOverlap))
