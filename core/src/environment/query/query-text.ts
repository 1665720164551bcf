import { longestSql, refusedTables } from '../sqlite/admitted-sql.ts'
import { searchedTextFault } from '../sqlite/search-texts.ts'
import { literalText, writtenSearches } from '../sqlite/search-words.ts'
import { isSymbol, type SqlToken } from '../sqlite/sql-text.ts'
import { growthFaults } from '../sqlite/text-growth.ts'
import { reservedNames } from './counted-views.ts'
import { nameOf } from './table-places.ts'

const firstWords = new Set(['SELECT', 'WITH', 'VALUES'])

/** Databases of a connection: with their names a query would pass by what counts its rows. */
const databases = new Set(['main', 'temp'])

/** Functions that a query does without, and what it may do instead. */
const refusedFunctions: Readonly<Record<string, string>> = {
  JSON_GROUP_ARRAY: 'return rows instead',
  JSON_GROUP_OBJECT: 'return rows instead',
  JSON_PATCH: 'return both values instead',
  JSON_PRETTY: 'return the value as it is',
  LIKE: 'write LIKE between a column and a pattern without brackets',
  GLOB: 'write GLOB between a column and a pattern without brackets',
}

const isName = ({ kind }: SqlToken): boolean => kind === 'word' || kind === 'quoted'

function startFaults(sql: string, [first]: readonly SqlToken[]): string[] {
  const faults: string[] = []
  if (sql.length > longestSql) faults.push(`is ${sql.length} characters long, at most ${longestSql} are allowed`)
  if (sql.includes('\0')) faults.push('holds a NUL character')
  if (first === undefined) faults.push('holds no statement')
  else if (!firstWords.has(first.keyword))
    faults.push(`starts with ${first.text.slice(0, 40)}; a query starts with SELECT, WITH or VALUES and only reads`)
  return faults
}

function nameFaults(sql: string, tokens: readonly SqlToken[]): string[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1]
    if (token.kind === 'parameter')
      return [`has the parameter ${sql.slice(token.start, token.end)}; write its value into the query`]
    if (token.kind === 'symbol') return []
    const name = nameOf(token)
    if (databases.has(name) && isSymbol(next, '.')) return [`names a table behind ${name}.; name the table alone`]
    if (isName(token) && (refusedTables.test(name) || reservedNames.test(name)))
      return [`names ${token.text}, which is not open to queries`]
    if (token.kind === 'quoted' && isSymbol(next, '('))
      return [`has the quoted name ${token.text} before a bracket; write it without quotes`]
    return []
  })
}

function functionFaults(tokens: readonly SqlToken[]): string[] {
  const called = tokens.filter((_, index) => isSymbol(tokens[index + 1], '('))
  return called.flatMap(({ keyword, text }) => {
    const instead = Object.hasOwn(refusedFunctions, keyword) ? refusedFunctions[keyword] : undefined
    return instead === undefined ? [] : [`uses ${text}(…), which is not open to queries: ${instead}`]
  })
}

const beside = new Set(['ESCAPE', 'COLLATE', 'NOCASE', 'BINARY', 'RTRIM'])

/** A text of a column, or one that was calculated, may make a search as long as it likes. */
function searchFaults(tokens: readonly SqlToken[]): string[] {
  return writtenSearches(tokens).flatMap(({ by, role, operand }) => {
    if (role === 'needle' || role === 'query') return []
    if (operand.some((token) => isName(token) && !beside.has(token.keyword)))
      return [`takes what ${by} looks for from more than literal text; to look for a column's text use instr()`]
    const fault = searchedTextFault(role, literalText(operand))
    return fault === null ? [] : [`has a text after ${by} that ${fault}`]
  })
}

/**
 * What is wrong with a query's text, as the caller can correct it; found before SQLite sees it.
 *
 * @param views - copies of one column that each view may come to, by name in lower case.
 */
export function queryTextFaults(
  sql: string,
  tokens: readonly SqlToken[],
  views: ReadonlyMap<string, number>,
): readonly string[] {
  const start = startFaults(sql, tokens)
  if (start.length > 0) return start
  const faults = [
    ...nameFaults(sql, tokens),
    ...functionFaults(tokens),
    ...searchFaults(tokens),
    ...growthFaults(tokens, views),
  ]
  return [...new Set(faults)]
}
