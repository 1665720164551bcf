import type { Row } from '../../vocabulary/database.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { SqlStep, ToolErrorTemplate, ToolResult } from '../../vocabulary/tool.ts'
import type { InstanceDatabase } from '../instance/instance-database.ts'
import { type BoundValue, fromJson, type SqliteValue, toRow } from '../sqlite/cell.ts'
import { searchFault } from '../sqlite/search-texts.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import type { CallEffects } from './call-effects.ts'
import { failed, failureOf } from './tool-failure.ts'

/** Most rows of a `rows` step that sets no limit of its own. */
export const defaultRowLimit = 200

/** A step with its statement looked up. */
export interface CompiledStep {
  readonly step: SqlStep
  /** Null for `require`. */
  readonly statement: RegisteredStatement | null
  /** For a named `row` step: the parameter that each result column becomes. */
  readonly outputs: readonly string[]
}

export interface SqlProgram {
  readonly kind: 'sql'
  readonly name: string
  readonly steps: readonly CompiledStep[]
  /** Arguments that statements or conditions read. */
  readonly arguments: readonly string[]
  /** Parameters that steps set, NULL until then. */
  readonly variables: readonly string[]
  /** Whether a failure may come after a write, so that the write must be taken back. */
  readonly needsSavepoint: boolean
}

/** One call of a declarative tool under way. */
interface Run {
  readonly database: InstanceDatabase
  readonly needsSavepoint: boolean
  readonly args: JsonObject
  readonly scope: Record<string, BoundValue>
  readonly effects: CallEffects
  content: Json
  notice: string | undefined
}

/** Stands in an error message for the value of an argument. */
export const placeholder = /\{(\w+)\}/g

/** Undefined for one that was left out, also where objects have something of that name by themselves. */
function argument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

/** `{name}` takes the value of that argument. */
function errorFrom(template: ToolErrorTemplate, args: JsonObject): ToolResult {
  const message = template.message.replaceAll(placeholder, (_whole, name: string) => {
    const value = argument(args, name) ?? 'nothing'
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
  return failed({ kind: 'business_rejection', code: template.code, message })
}

function runRow(run: Run, { step, statement, outputs }: CompiledStep): ToolResult | null {
  if (step.kind !== 'row' || statement === null) return null
  const { rows, more } = run.database.fetch(statement, run.scope, 1)
  const [row] = rows
  if (row === undefined || more) return errorFrom(step.error, run.args)
  outputs.forEach((name, index) => {
    run.scope[name] = row[index] as SqliteValue
  })
  run.content = toRow(statement.columns, row)
  return null
}

function runRows(run: Run, { step, statement }: CompiledStep): null {
  if (step.kind !== 'rows' || statement === null) return null
  const limit = step.limit ?? defaultRowLimit
  const { rows, more } = run.database.fetch(statement, run.scope, limit)
  run.content = rows.map((row): Row => toRow(statement.columns, row))
  run.notice = more ? `only the first ${limit} rows are shown; there are more` : undefined
  return null
}

function runWrite(run: Run, { step, statement }: CompiledStep): ToolResult | null {
  if (step.kind !== 'run' || statement === null) return null
  if (run.needsSavepoint) run.database.save()
  const done = run.database.run(statement, run.scope)
  const { changes, rowid } = done
  run.effects.record(statement, run.scope, done)
  if (changes === 0 && step.error !== undefined) return errorFrom(step.error, run.args)
  if (statement.inserts) run.scope.rowid = changes > 0 ? rowid : null
  run.content = { changes }
  run.notice = undefined
  return null
}

/**
 * An argument's text, or that of an earlier step's row, may make a search take longer than any call should. The tool's
 * schema allows it, so it is no invalid argument: the call may be made again with another text.
 */
function refuseSearch(name: string, { scope }: Run, { statement }: CompiledStep): ToolResult | null {
  if (statement === null || statement.searchTexts.length === 0) return null
  const fault = searchFault(statement.searchTexts, scope)
  if (fault === null) return null
  const message = `${name}: ${fault.parameter} ${fault.message}`
  return failed({ kind: 'business_rejection', code: 'statement_failed', message })
}

function runStep(name: string, run: Run, compiled: CompiledStep): ToolResult | null {
  const { step } = compiled
  if (step.kind === 'require') {
    return step.anyOf.some((name) => run.scope[name] !== null) ? null : errorFrom(step.error, run.args)
  }
  if (step.when !== undefined && run.scope[step.when] === null) return null
  const refused = refuseSearch(name, run, compiled)
  if (refused !== null) return refused
  if (step.kind === 'row') return runRow(run, compiled)
  return step.kind === 'rows' ? runRows(run, compiled) : runWrite(run, compiled)
}

function runSteps(program: SqlProgram, run: Run): ToolResult {
  for (const step of program.steps) {
    const failure = runStep(program.name, run, step)
    if (failure !== null) return failure
  }
  return run.notice === undefined
    ? { ok: true, content: run.content }
    : { ok: true, content: run.content, notice: run.notice }
}

/** Runs a declarative tool. A call that fails leaves no trace. Never throws. */
export function runSqlTool(
  program: SqlProgram,
  database: InstanceDatabase,
  args: JsonObject,
  effects: CallEffects,
): ToolResult {
  const scope: Record<string, BoundValue> = {}
  for (const name of program.arguments) scope[name] = fromJson(argument(args, name))
  for (const name of program.variables) scope[name] = null
  const { needsSavepoint } = program
  const run: Run = { database, needsSavepoint, args, scope, effects, content: null, notice: undefined }
  let result: ToolResult
  try {
    result = runSteps(program, run)
    if (result.ok) database.keep(effects)
  } catch (thrown) {
    result = failureOf(program.name, thrown)
  }
  if (!result.ok) {
    database.takeBack()
    effects.forget()
  }
  return result
}
