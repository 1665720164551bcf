import { foldName, quoteName, type SqlToken } from './sql-text.ts'
import type { TableInfo } from './table-info.ts'

/** Words that are no names, even where a column is called so. */
const valueWords = new Set(['NULL', 'TRUE', 'FALSE', 'CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP'])

/** A table's columns, all of them, in their order. */
export const columnList = (table: TableInfo): string => table.columns.map(({ name }) => quoteName(name)).join(', ')

/** Reads the row whose id is bound to `?`, all of its columns. Only for tables whose key is the row id. */
export function rowLookupSql(table: TableInfo): string {
  const [key = ''] = table.primaryKey
  return `SELECT ${columnList(table)} FROM main.${quoteName(table.name)} WHERE ${quoteName(key)} = ?`
}

const isName = ({ kind, text, keyword }: SqlToken, name: string): boolean =>
  (kind === 'quoted' || (kind === 'word' && !valueWords.has(keyword))) && foldName(text) === foldName(name)

/** Whether the tokens between SELECT and FROM name every column of a table in its order. */
function selectsAll(selected: readonly SqlToken[], { columns }: TableInfo): boolean {
  const [first] = selected
  if (selected.length === 1 && first?.kind === 'symbol' && first.text === '*') return true
  if (selected.length !== columns.length * 2 - 1) return false
  return selected.every((token, index) => {
    const column = columns[index / 2]
    return column === undefined ? token.kind === 'symbol' && token.text === ',' : isName(token, column.name)
  })
}

/**
 * The table whose row a statement looks up by its id, as {@link rowLookupSql} does; undefined for any other statement.
 * Tools write this statement in many ways, and what compares rows needs it as well: prepared once, it serves all.
 */
export function lookedUp(tokens: readonly SqlToken[], tables: readonly TableInfo[]): TableInfo | undefined {
  const from = tokens.findIndex(({ keyword }) => keyword === 'FROM')
  if (tokens[0]?.keyword !== 'SELECT' || from < 0) return undefined
  const [name, where, key, equals, value, ...rest] = tokens.slice(from + 1)
  if (name === undefined || where?.keyword !== 'WHERE' || key === undefined || rest.length > 0) return undefined
  if (equals?.kind !== 'symbol' || equals.text !== '=' || value?.kind !== 'parameter') return undefined
  const table = tables.find((table) => isName(name, table.name))
  const [id] = table?.primaryKey ?? []
  if (table === undefined || id === undefined || !table.keyIsRowid || !isName(key, id)) return undefined
  return selectsAll(tokens.slice(1, from), table) ? table : undefined
}
