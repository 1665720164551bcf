import type { QueryImplementation, Tool } from '../../vocabulary/tool.ts'
import { longestSql } from '../sqlite/admitted-sql.ts'
import { queryProperty } from './callable-schema.ts'
import type { Compilation } from './compile-sql-tool.ts'
import type { QueryProgram } from './query-tool.ts'
import { defaultRowLimit } from './sql-tool.ts'

const defaultVisits = 100_000
/** Milliseconds of one query where a tool states no deadline. */
export const defaultDeadlineMs = 1_000

/** Checks a tool that takes SQL from its caller; that SQL itself is looked at when it comes. */
export function compileQueryTool(tool: Tool, implementation: QueryImplementation): Compilation<QueryProgram> {
  const { argument, limit, visits, deadlineMs } = implementation
  const faults: string[] = []
  if (tool.effect !== 'read') faults.push(`takes a query, which only reads, but its effect is ${tool.effect}`)
  const property = queryProperty(tool, implementation)
  const required = tool.inputSchema.required
  if (property === undefined) faults.push(`takes its query from ${argument}, which is no argument`)
  else if (property.type !== 'string') faults.push(`takes its query from ${argument}, whose type is not string`)
  else if (Number(property.maxLength ?? 0) > longestSql)
    faults.push(`takes a query of ${property.maxLength} characters from ${argument}, at most ${longestSql} are allowed`)
  else if (!Array.isArray(required) || !required.includes(argument))
    faults.push(`takes its query from ${argument}, which must be required`)
  if (faults.length > 0) return { ok: false, faults }
  const limits = {
    limit: limit ?? defaultRowLimit,
    visits: visits ?? defaultVisits,
    deadlineMs: deadlineMs ?? defaultDeadlineMs,
  }
  return { ok: true, program: { kind: 'query', name: tool.name, argument, limits } }
}
