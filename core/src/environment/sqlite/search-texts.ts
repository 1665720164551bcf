import type { BoundValue } from './cell.ts'
import type { PlanLine } from './plan-cost.ts'
import { type SearchRole, writtenSearches } from './search-words.ts'
import { isSymbol, type SqlToken } from './sql-text.ts'
import { selfOverlap } from './text-repetition.ts'

/** A parameter whose text decides how long a search takes. */
export interface SearchText {
  readonly parameter: string
  readonly role: SearchRole
}

/** Longest text whose cost is not worth a look, in UTF-16 units, and the most of {@link selfOverlap} beyond it. */
const mostOverlap = 32

/** A full-text query's length in UTF-16 units, and its words; near each other, they multiply. */
const longestQuery = 256
const mostWords = 32
const mostNearWords = 8

/** Characters that trim() looks for, each in turn, at every place. */
const mostTrimmed = 16

const names = (tokens: readonly SqlToken[]): string[] =>
  tokens.filter((token) => token.kind === 'parameter').map((token) => token.text)

/** Words of an expression that are no columns, and those that the name of no column follows. */
const noColumns = new Set('ESCAPE COLLATE NOT NULL IS IN AS AND OR CASE WHEN THEN ELSE'.split(' '))
const beforeNoColumn = new Set(['COLLATE', 'AS'])

/** Whether an expression reads something besides parameters and literals, which may hold a parameter in turn. */
function readsColumns(operand: readonly SqlToken[]): boolean {
  return operand.some(({ kind, keyword }, index) => {
    if (beforeNoColumn.has(operand[index - 1]?.keyword ?? '')) return false
    if (kind === 'quoted') return true
    return kind === 'word' && !isSymbol(operand[index + 1], '(') && !noColumns.has(keyword)
  })
}

/** How the plan shows a query that FTS5 parses. */
const fullTextSearch = / VIRTUAL TABLE INDEX \d+:\S*M\d/

/**
 * Parameters of a statement that reach a search: by standing in its expression, or, where that reads columns, by
 * standing anywhere in the statement. So does any that may be a full-text query without the word MATCH, as in
 * `notes = @query` and `notes(@query)`, of which only the plan tells.
 */
export function searchTexts(tokens: readonly SqlToken[], plan: readonly PlanLine[] = []): readonly SearchText[] {
  const found = new Map<string, SearchText>()
  if (plan.some(({ detail }) => fullTextSearch.test(detail)) && !tokens.some(({ keyword }) => keyword === 'MATCH'))
    for (const parameter of names(tokens)) found.set(`query ${parameter}`, { parameter, role: 'query' })
  for (const { role, operand } of writtenSearches(tokens))
    for (const parameter of names(readsColumns(operand) ? tokens : operand))
      found.set(`${role} ${parameter}`, { parameter, role })
  return [...found.values()]
}

function repetitionFault(text: string): string | null {
  if (text.length <= mostOverlap || selfOverlap(text) <= mostOverlap) return null
  return `must have at most ${mostOverlap} characters, or repeat itself and its wildcards less, to be searched for`
}

const faults: Readonly<Record<SearchRole, (text: string) => string | null>> = {
  pattern: repetitionFault,
  needle: repetitionFault,
  query: (text) => {
    const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '').length
    const most = /\bNEAR\b/.test(text) ? mostNearWords : mostWords
    if (text.length <= longestQuery && words <= most) return null
    return `must have at most ${longestQuery} characters and ${most} words to be searched for`
  },
  characters: (text) => {
    return text.length <= mostTrimmed ? null : `must have at most ${mostTrimmed} characters to be trimmed away`
  },
}

/** Why a text would make a search too long; null when it may be searched for. */
export const searchedTextFault = (role: SearchRole, text: string): string | null => faults[role](text)

/** The first parameter whose text would make a search too long, and why; null when all may run. */
export function searchFault(
  texts: readonly SearchText[],
  bindings: Readonly<Record<string, BoundValue>>,
): { readonly parameter: string; readonly message: string } | null {
  for (const { parameter, role } of texts) {
    const value = bindings[parameter]
    const message = typeof value === 'string' ? searchedTextFault(role, value) : null
    if (message !== null) return { parameter, message }
  }
  return null
}
