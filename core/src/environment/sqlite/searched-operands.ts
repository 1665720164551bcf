import { searchedTextFault } from './search-texts.ts'
import { literalText, writtenSearches } from './search-words.ts'
import { foldName, type SqlToken } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'

/** The most that stored texts which are searched for may repeat themselves, see `selfOverlap`. */
const mostOverlap = 256

/** As much as they may do so without a look at a row taking longer. */
const usualOverlap = 32

/** Texts written into a statement that it would search for too long; found before SQLite sees it. */
export function searchedLiteralFaults(tokens: readonly SqlToken[]): string[] {
  return writtenSearches(tokens).flatMap(({ by, role, operand }) => {
    const fault = searchedTextFault(role, literalText(operand))
    return fault === null ? [] : [`has a text after ${by} that ${fault}`]
  })
}

const namesOf = (tokens: readonly SqlToken[]): string[] =>
  tokens.filter(({ kind }) => kind === 'word' || kind === 'quoted').map(({ text }) => foldName(text))

/** A search for stored texts. */
export interface StoredSearch {
  /** How it is written, for messages. */
  readonly by: string
  /** The most that one of the texts repeats itself, see `selfOverlap`. */
  readonly overlap: number
}

/**
 * The search of a statement for those stored texts that repeat themselves most, as they are when it is looked at; null
 * without any. Names of columns count in whatever table; behind a subquery's own name any column of the text may stand.
 *
 * @param texts - the statement, and what it carries out besides: views, and definitions of the tables that it opens.
 */
export function storedSearch(
  texts: readonly (readonly SqlToken[])[],
  tables: readonly TableInfo[],
  facts: StoredFacts,
): StoredSearch | null {
  const searching = texts.map((tokens) => ({ tokens, searches: writtenSearches(tokens) }))
  if (searching.every(({ searches }) => searches.length === 0)) return null
  const columns = new Set(tables.flatMap((table) => table.columns.map(({ name }) => foldName(name))))
  const found = searching.flatMap(({ tokens, searches }) => {
    const anywhere = namesOf(tokens).filter((name) => columns.has(name))
    return searches.map(({ by, operand }) => {
      const named = namesOf(operand)
      const known = named.filter((name) => columns.has(name))
      return { by, overlap: facts.mostOverlap(tables, named.length > 0 && known.length === 0 ? anywhere : known) }
    })
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
