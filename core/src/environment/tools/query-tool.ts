import { messageOf } from '../../errors/rlenv-error.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { ToolResult } from '../../vocabulary/tool.ts'
import type { InstanceQueries } from '../instance/instance-queries.ts'
import type { QueryAnswer, QueryLimits } from '../query/query-connection.ts'
import { type QueryEnd, QueryStopped } from '../query/query-meter.ts'
import type { VettedQuery } from '../query/query-vetting.ts'
import { toRow } from '../sqlite/cell.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import { environmentFault, failed } from './tool-failure.ts'

export interface QueryProgram {
  readonly kind: 'query'
  readonly name: string
  /** The argument that holds the SQL. */
  readonly argument: string
  readonly limits: QueryLimits
}

const refusal = (code: string, message: string): ToolResult => failed({ kind: 'business_rejection', code, message })

/** What a notice tells of a result, apart from its rows: what is missing, and which values have no name of their own. */
function noticeOf({ columns }: VettedQuery, { rows, cut }: QueryAnswer): string | undefined {
  const notices: string[] = []
  if (cut === 'rows') notices.push(`only the first ${rows.length} rows are shown; there are more`)
  if (cut === 'characters') notices.push(`only the first ${rows.length} rows are shown; the next would be too long`)
  const twice = [...new Set(columns.filter((name, index) => columns.indexOf(name) !== index))]
  if (twice.length > 0)
    notices.push(`of several columns named ${twice.join(', ')} only the last is shown; name them with AS`)
  return notices.length === 0 ? undefined : notices.join('; ')
}

const endCodes: Readonly<Record<QueryEnd, string>> = {
  visits: 'query_too_large',
  result: 'query_too_large',
  deadline: 'query_timeout',
}

/** Codes of SQLite that no query can bring about. */
const brokenStorage = /^SQLITE_(?:CORRUPT|NOTADB|IOERR|CANTOPEN)/

/**
 * What a query that was ended means. Its author is the caller, so it is the caller's error whatever it did, the deadline
 * included: with a timeout or a fault, a policy could end a rollout as the environment's failure at will.
 */
function refusalOf(name: string, thrown: unknown): ToolResult {
  if (thrown instanceof QueryStopped) return refusal(endCodes[thrown.end], `${name}: ${thrown.message}`)
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (brokenStorage.test(code)) return environmentFault(name, messageOf(thrown))
  return refusal('statement_failed', `${name} was refused: ${messageOf(thrown)}`)
}

/** Runs a query that the caller has written. It leaves no trace, whatever becomes of it. */
export function runQueryTool(
  { name, argument, limits }: QueryProgram,
  queries: InstanceQueries,
  args: JsonObject,
  random: SeededRandom,
): ToolResult {
  const admission = queries.admit(String(args[argument]), limits)
  if (!admission.ok) return refusal('invalid_query', `${name}: the query ${admission.faults.join('; ')}`)
  const { query, connection } = admission
  try {
    const answer = connection.run(query, limits, random)
    const content = answer.rows.map((row) => toRow(query.columns, row))
    const notice = noticeOf(query, answer)
    return notice === undefined ? { ok: true, content } : { ok: true, content, notice }
  } catch (thrown) {
    return refusalOf(name, thrown)
  }
}
