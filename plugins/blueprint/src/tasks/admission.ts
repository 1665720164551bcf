import type { DraftWorld, GoldRun, Json, Tool, ToolCall } from 'rlenv'
import type { Goal } from './goal.ts'

/** What is admitted or refused. */
export interface Candidate {
  readonly instruction: string
  readonly goals: readonly Goal[]
  readonly calls: readonly ToolCall[]
  readonly answer: Json
}

/**
 * Why a candidate is no sound task, or null when it is one: gold runs without an error, changes something or answers
 * something, every id was seen before it is used, and everything else is in the text or a closed set.
 */
export function refusal(candidate: Candidate, tools: ReadonlyMap<string, Tool>, world: DraftWorld): string | null {
  const run = world.run(candidate.calls, candidate.answer)
  if (!run.succeeded) return 'a gold call fails'
  const silent = run.calls.find(({ call, diff }) => tools.get(call.tool)?.effect === 'write' && diff.length === 0)
  if (silent !== undefined) return `${silent.call.tool} changes nothing`
  if (run.diff.length === 0 && candidate.answer === null) return 'nothing is changed and nothing is asked'
  return unfoundedArgument(candidate, run, tools) ?? unfoundedAnswer(candidate, run)
}

function unfoundedArgument(candidate: Candidate, run: GoldRun, tools: ReadonlyMap<string, Tool>): string | null {
  const seen = new Set<string>()
  const text = candidate.instruction.toLowerCase()
  for (const { call, result } of run.calls) {
    const unfounded = Object.keys(call.arguments).find(
      (name) => !isFounded(name, call, tools.get(call.tool), text, seen),
    )
    if (unfounded !== undefined) return `${unfounded} of ${call.tool} is neither seen before nor in the text`
    if (result.ok) collect(result.content, seen)
  }
  return null
}

function isFounded(
  name: string,
  call: ToolCall,
  tool: Tool | undefined,
  text: string,
  seen: ReadonlySet<string>,
): boolean {
  const value = String(call.arguments[name])
  const inText = text.includes(value.toLowerCase())
  if (isId(name)) return seen.has(value) && !inText
  const properties = tool?.inputSchema.properties
  const schema = properties !== undefined && isObject(properties) ? properties[name] : undefined
  return inText || isClosed(schema) || isClosed(call.arguments, name)
}

/** Whether a parameter carries a row id: the blueprint's tools call nothing else so. */
function isId(name: string): boolean {
  return name === 'id' || name.endsWith('_id') || name.endsWith('Id')
}

/** A closed set of values, or the value of a field that `field` names and whose own set is closed. */
function isClosed(schema: Json | undefined, name?: string): boolean {
  if (schema === undefined || !isObject(schema)) return false
  if (name !== undefined) return name === 'value' && 'field' in schema
  return 'enum' in schema
}

/** An answer must have been in view; a count is the number of rows of the last call. */
function unfoundedAnswer(candidate: Candidate, run: GoldRun): string | null {
  if (candidate.answer === null) return null
  const last = run.calls.at(-1)
  const content = last?.result.ok === true ? last.result.content : null
  const counts = candidate.goals.at(-1)?.kind === 'count'
  if (counts) return Array.isArray(content) && content.length === candidate.answer ? null : 'the count is another one'
  const seen = new Set<string>()
  for (const { result } of run.calls) if (result.ok) collect(result.content, seen)
  return seen.has(String(candidate.answer)) ? null : 'the answer is never in view'
}

function collect(value: Json, into: Set<string>): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) collect(item, into)
  else if (isObject(value)) for (const item of Object.values(value)) collect(item, into)
  else into.add(String(value))
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
