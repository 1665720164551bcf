import { operandAt } from './search-words.ts'
import { foldName, isSymbol, type SqlToken } from './sql-text.ts'
import type { StoredFacts } from './stored-facts.ts'
import type { TableInfo } from './table-info.ts'

/** Entries of a list that an argument may hold. Source: the longest text that an argument has by default, two characters an entry. */
const mostGiven = 5_000

/** Entries that a stored list is taken to hold at least, for calls may make it longer. */
const fewestStored = 100

function entriesAt(
  tokens: readonly SqlToken[],
  bracket: number,
  tables: readonly TableInfo[],
  facts: StoredFacts,
): number {
  const list = operandAt(tokens, bracket + 1)
  if (list.some(({ kind }) => kind === 'parameter')) return mostGiven
  const written = list.reduce((sum, token) => sum + (token.kind === 'string' ? token.text.length : 0), 0)
  const names = list.filter(({ kind }) => kind === 'word' || kind === 'quoted').map(({ text }) => foldName(text))
  const known = names.filter((name) =>
    tables.some((table) => table.columns.some((column) => foldName(column.name) === name)),
  )
  if (names.length > 0 && known.length === 0) return mostGiven
  return Math.max(fewestStored, Math.ceil(Math.max(written, facts.longestText(tables, known)) / 2))
}

/** The most rows that json_each() or json_tree() makes of one text in a statement; 0 when it calls neither. */
export function unpackedRows(tokens: readonly SqlToken[], tables: readonly TableInfo[], facts: StoredFacts): number {
  return tokens.reduce((most, { keyword }, index) => {
    if (keyword !== 'JSON_EACH' && keyword !== 'JSON_TREE') return most
    return Math.max(most, isSymbol(tokens[index + 1], '(') ? entriesAt(tokens, index + 1, tables, facts) : mostGiven)
  }, 0)
}
