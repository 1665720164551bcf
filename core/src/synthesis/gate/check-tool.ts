import type { RandomStream } from '../../determinism/random-stream.ts'
import type { EnvironmentInstance } from '../../environment/environment-instance.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import type { ArgumentPool } from '../../environment/tools/argument-pool.ts'
import { outputViolations } from '../../environment/tools/argument-validator.ts'
import { callableSchema } from '../../environment/tools/callable-schema.ts'
import { generateArguments } from '../../environment/tools/generate-arguments.ts'
import type { StateReader } from '../../hooks/world.ts'
import type { Cell } from '../../vocabulary/database.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import type { Tool, ToolResult } from '../../vocabulary/tool.ts'
import { finding, type GateFinding, statusOf, type ToolReport } from './gate-report.ts'

/** Calls of one tool at most, until one does what it has to. */
const mostCalls = 16
/** Calls with nothing but the required arguments, for telling a tool that silently does nothing. */
const bareCalls = 6
const seed = 0

export interface ToolChecks {
  readonly executable: ExecutableEnvironment
  readonly pool: ArgumentPool
  /** Arguments that tasks call the tool with; tried first. */
  readonly known: readonly JsonObject[]
}

interface Call {
  readonly args: JsonObject
  readonly result: ToolResult
  readonly diff: StateDiff
}

/** Calls a tool until it has shown that it works, and a write tool also until it has shown that it does something. */
export function checkTool(tool: Tool, random: RandomStream, checks: ToolChecks): ToolReport {
  const report = tryTool(tool, random, checks)
  if (report.findings.length > 0 || tool.effect === 'read') return report
  const findings = silence(tool, random.fork('bare'), checks)
  return { ...report, status: statusOf(findings), findings }
}

/**
 * Calls a tool until it has shown that it works: a read tool must succeed, a write tool succeed or report a business
 * error that it declares. No call may fail inside the environment, and every result must fit the output schema.
 */
export function tryTool(tool: Tool, random: RandomStream, checks: ToolChecks): ToolReport {
  const calls: Call[] = []
  const findings: GateFinding[] = []
  for (const args of candidates(tool, random.fork('calls'), checks)) {
    const call = freshCall(checks.executable, tool, args)
    calls.push(call)
    findings.push(...callFindings(tool, call))
    if (findings.length > 0 || shows(tool, call.result)) break
  }
  if (findings.length === 0 && !calls.some(({ result }) => shows(tool, result))) findings.push(neverWorked(tool, calls))
  const succeeded = calls.filter(({ result }) => result.ok).length
  return { name: tool.name, status: statusOf(findings), findings, calls: calls.length, succeeded }
}

/** A read tool needs a success; of a write tool, the refusal it declares says as much. */
function shows(tool: Tool, result: ToolResult): boolean {
  if (result.ok) return true
  return tool.effect === 'write' && tool.errors.some(({ code }) => code === result.error.code)
}

function freshCall(executable: ExecutableEnvironment, tool: Tool, args: JsonObject): Call {
  return onFresh(executable, (instance) => ({ args, ...instance.call(tool.name, args) }))
}

function onFresh<T>(executable: ExecutableEnvironment, use: (instance: EnvironmentInstance) => T): T {
  const instance = executable.open({ seed })
  try {
    return use(instance)
  } finally {
    instance.close()
  }
}

/** What tasks use, then generated arguments; where a name leads to no column, text of the tool's own tables. */
function* candidates(tool: Tool, random: RandomStream, { executable, pool, known }: ToolChecks): Generator<JsonObject> {
  yield* known.slice(0, 2)
  const { tables } = tool
  const schema = callableSchema(tool)
  for (let i = known.slice(0, 2).length; i < mostCalls; i++) {
    const optionalShare = i % 2 === 0 ? 0.5 : 0
    const generated = generateArguments(schema, random, pool, { tables, optionalShare })
    yield i < mostCalls / 2 ? generated : withOwnText(tool, generated, executable.initial, random)
  }
}

function withOwnText(tool: Tool, args: JsonObject, state: StateReader, random: RandomStream): JsonObject {
  const texts = tool.tables.flatMap((table) => {
    const rows = state.tables.includes(table) ? state.rows(table) : []
    return rows.length === 0 ? [] : Object.values(random.pick(rows)).filter((cell: Cell) => typeof cell === 'string')
  })
  if (texts.length === 0) return args
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? random.pick(texts) : value,
  ])
  return Object.fromEntries(entries) as JsonObject
}

function callFindings(tool: Tool, { args, result, diff }: Call): GateFinding[] {
  const call = `${tool.name}(${JSON.stringify(args)})`
  if (!result.ok) {
    return result.error.kind === 'environment_fault'
      ? [finding('tool_faulted', `${call}: ${result.error.message}`)]
      : []
  }
  const [misfit] = outputViolations(tool.outputSchema, result.content)
  if (misfit !== undefined) {
    const place = misfit.path === '' ? 'the result' : misfit.path
    return [finding('tool_result_misfit', `${call} does not fit the output schema: ${place} ${misfit.message}`)]
  }
  if (tool.effect === 'write' || diff.length === 0) return []
  return [finding('tool_wrote', `${call} is declared to read and changed ${diff.length} rows`)]
}

function neverWorked(tool: Tool, calls: readonly Call[]): GateFinding {
  const last = calls.at(-1)?.result
  const why = last === undefined || last.ok ? '' : `; last: ${last.error.message}`
  const wanted = tool.effect === 'read' ? 'succeeded' : 'succeeded or gave an error that the tool declares'
  return finding('tool_never_succeeded', `none of ${calls.length} calls ${wanted}${why}`)
}

/** A write that answers "ok" and changes nothing teaches a policy to call it for nothing. */
function silence(tool: Tool, random: RandomStream, { executable, pool }: ToolChecks): GateFinding[] {
  let silent: JsonObject | null = null
  for (let i = 0; i < bareCalls; i++) {
    const args = generateArguments(callableSchema(tool), random, pool, { tables: tool.tables, optionalShare: 0 })
    const { result, diff } = freshCall(executable, tool, args)
    if (result.ok && diff.length > 0) return []
    if (result.ok) silent = args
  }
  if (silent === null) return []
  return [finding('tool_silent', `${tool.name}(${JSON.stringify(silent)}) succeeds and changes nothing`)]
}
