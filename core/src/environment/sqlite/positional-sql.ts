import type { SqlToken } from './sql-text.ts'

/**
 * The same statement with `?` for each of its parameters, which the driver binds in half the time that names take. Null
 * where names carry meaning: a parameter used twice is one value to the planner, and a quoted name may hold an `@`.
 */
export function positionalSql(sql: string, tokens: readonly SqlToken[]): string | null {
  const parameters = tokens.filter((token) => token.kind === 'parameter')
  const names = new Set(parameters.map((token) => token.text))
  if (names.size < parameters.length || tokens.some(({ kind, text }) => kind === 'quoted' && text.includes('@')))
    return null
  let text = ''
  let end = 0
  for (const parameter of parameters) {
    text += `${sql.slice(end, parameter.start)}?`
    end = parameter.end
  }
  return text + sql.slice(end)
}
