import { RandomStream } from '../../determinism/random-stream.ts'
import { messageOf } from '../../errors/rlenv-error.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { Tool, ToolResult } from '../../vocabulary/tool.ts'
import type { InstanceDatabase } from '../instance/instance-database.ts'
import type { ScriptOutcome, ScriptRuntime } from '../sandbox/script-runtime.ts'
import { type BoundValue, fromJson, toCells } from '../sqlite/cell.ts'
import { searchFault } from '../sqlite/search-texts.ts'
import type { RegisteredStatement, StatementRegistry } from '../sqlite/statement-registry.ts'
import type { CallEffects } from './call-effects.ts'
import { isObject } from './schema-references.ts'
import { environmentFault, failed, failureOf } from './tool-failure.ts'

/** Most rows that one `db.all` hands to a script. */
const mostRows = 10_000

export interface ScriptToolCall {
  readonly tool: Tool
  readonly file: string
  readonly source: string
  readonly args: JsonObject
  readonly database: InstanceDatabase
  readonly registry: StatementRegistry
  readonly runtime: () => ScriptRuntime
  readonly effects: CallEffects
  /** Seed of the instance and position of the call in it: where the script's random numbers start. */
  readonly seed: number
  readonly ordinal: number
}

/** Refusal of a script's request, with the code that its ToolError carries. */
class RequestRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function admitted(call: ScriptToolCall, sql: string): RegisteredStatement {
  const admission = call.registry.admit(sql)
  if (!admission.ok) throw new RequestRefused('invalid_statement', `the statement ${admission.faults.join('; ')}`)
  return admission.statement
}

interface ScriptRequest {
  readonly kind: string
  readonly statement: RegisteredStatement
  readonly parameters: Json
}

/** A list `[kind, "db", sql, parameters]`, or `kind id parameters` for a statement that was prepared before. */
function readRequest(call: ScriptToolCall, text: string): ScriptRequest {
  if (text.startsWith('[')) {
    const [kind, , sql, parameters] = JSON.parse(text) as [string, string, string, Json]
    return { kind, statement: admitted(call, sql), parameters }
  }
  const end = text.indexOf(' ', 4)
  const statement = call.registry.at(Number(text.slice(4, end)))
  if (statement === undefined) throw new Error('there is no such statement')
  return { kind: text.slice(0, 3), statement, parameters: JSON.parse(text.slice(end + 1)) as Json }
}

function refuse(call: ScriptToolCall, { kind, statement }: ScriptRequest): void {
  // After OR ROLLBACK nothing could take further writes back.
  if (call.database.lost) throw new RequestRefused('rolled_back', 'an earlier statement has rolled the whole call back')
  if (kind !== 'run' && !statement.readOnly)
    throw new RequestRefused('invalid_statement', 'db.all and db.get only read; use db.run to write')
  if (kind === 'run' && call.tool.effect === 'read')
    throw new RequestRefused('invalid_statement', "the tool's effect is read, so it cannot write")
}

/** JSON text: rows as a list of lists, anything else as an object with `value`. */
function answer(call: ScriptToolCall, text: string): string {
  const request = readRequest(call, text)
  const { kind, statement, parameters } = request
  if (kind === 'prepare') return JSON.stringify({ value: { id: statement.id, columns: statement.columns } })
  refuse(call, request)
  const given = isObject(parameters) ? parameters : {}
  const bindings: Record<string, BoundValue> = {}
  for (const name of statement.parameters) bindings[name] = fromJson(Object.hasOwn(given, name) ? given[name] : null)
  const fault = searchFault(statement.searchTexts, bindings)
  if (fault !== null) throw new RequestRefused('statement_failed', `${fault.parameter} ${fault.message}`)
  if (kind === 'run') {
    call.database.save()
    const done = call.database.run(statement, bindings)
    call.effects.record(statement, bindings, done)
    const inserted = statement.inserts && done.changes > 0
    return JSON.stringify({
      value: { changes: done.changes, lastInsertRowid: inserted ? Number(done.rowid) : null },
    })
  }
  const { rows, more } = call.database.fetch(statement, bindings, kind === 'get' ? 1 : mostRows)
  if (more && kind === 'all')
    throw new RequestRefused('too_many_rows', `the statement yields more than ${mostRows} rows`)
  return JSON.stringify(rows.map(toCells))
}

/** Answers a request as JSON text. SQLite's own codes become those of {@link failureOf}. */
function answerText(call: ScriptToolCall, request: string): string {
  try {
    return answer(call, request)
  } catch (thrown) {
    if (thrown instanceof RequestRefused)
      return JSON.stringify({ error: { code: thrown.code, message: thrown.message } })
    const result = failureOf(call.tool.name, thrown)
    return JSON.stringify({ error: { code: result.ok ? 'failed' : result.error.code, message: messageOf(thrown) } })
  }
}

/** Codes that our own answers carry and that are the script's fault, not its caller's. */
const scriptFaults = new Set(['invalid_statement', 'too_many_rows', 'environment_fault'])

function resultOf(tool: Tool, outcome: ScriptOutcome): ToolResult {
  if (outcome.kind === 'value') return { ok: true, content: outcome.value }
  if (outcome.kind === 'timeout')
    return failed({ kind: 'timeout', code: 'timeout', message: `${tool.name} timed out: ${outcome.message}` })
  if (outcome.code === null || scriptFaults.has(outcome.code)) return environmentFault(tool.name, outcome.message)
  const message = outcome.message.replace(/^ToolError: /, '')
  return failed({ kind: 'business_rejection', code: outcome.code, message })
}

/** Runs a script tool. A call that fails leaves no trace. Never throws. */
export function runScriptTool(call: ScriptToolCall): ToolResult {
  const { tool, database, runtime, effects } = call
  try {
    const outcome = runtime().call({
      file: call.file,
      source: call.source,
      role: 'tool',
      input: call.args,
      random: () => RandomStream.of(call.seed, 'script', call.ordinal).state(),
      answer: (request) => answerText(call, request),
    })
    const result = resultOf(tool, outcome)
    if (result.ok) database.keep(effects)
    else {
      database.takeBack()
      effects.forget()
    }
    return result
  } catch (thrown) {
    database.takeBack()
    effects.forget()
    return failureOf(tool.name, thrown)
  }
}
