import type { Environment } from '../../vocabulary/environment.ts'
import type { StoredVerifier, Task } from '../../vocabulary/task.ts'
import type { Tool, ToolImplementation } from '../../vocabulary/tool.ts'
import { textTable } from '../text-table.ts'
import { tableSizes } from './table.ts'

/** An environment at a glance. */
export function overviewText(environment: Environment): string {
  const { id, scenario, database, tools, tasks } = environment
  const tables = tableSizes(environment).map(({ name, rows, columns }) => [name, String(rows), columns.join(', ')])
  const offered = tools.map((tool) => [tool.name, tool.effect, Object.keys(properties(tool)).join(', '), tool.summary])
  const asked = tasks.map((task) => [localId(task), task.kind, String(task.gold.calls.length), task.instruction])
  return [
    `${id}: ${scenario.name}\n${scenario.description}\nclock ${database.clock}`,
    textTable([['table', 'rows', 'columns'], ...tables]),
    textTable([['tool', 'effect', 'arguments', 'summary'], ...offered]),
    textTable([['task', 'kind', 'calls', 'instruction'], ...asked]),
  ].join('\n\n')
}

/** One tool in full. */
export function toolText(tool: Tool): string {
  const { name, effect, summary, description, tables, errors, implementation } = tool
  return [
    `${name} (${effect}): ${summary}`,
    description,
    `tables: ${tables.join(', ')}`,
    `input: ${JSON.stringify(tool.inputSchema, null, 2)}`,
    `output: ${JSON.stringify(tool.outputSchema, null, 2)}`,
    `errors: ${errors.map(({ code }) => code).join(', ') || 'none'}`,
    'steps:',
    ...stepLines(implementation),
  ].join('\n')
}

function stepLines(implementation: ToolImplementation): readonly string[] {
  if (implementation.kind === 'world') return ['  carried out by the world that it belongs to']
  if (implementation.kind === 'script') return [`script ${implementation.file}`]
  if (implementation.kind === 'query') return [`  query: the SQL in the argument ${implementation.argument}`]
  return implementation.steps.map((step) => {
    const what = step.kind === 'require' ? `one of ${step.anyOf.join(', ')}` : step.sql
    const otherwise = 'error' in step && step.error ? `\n    else ${step.error.code}: ${step.error.message}` : ''
    return `  ${step.kind}: ${what}${otherwise}`
  })
}

/** One task without its gold run. */
export function taskText(task: Task, verifier: StoredVerifier | undefined): string {
  const { id, kind, difficulty, instruction, gold } = task
  const answer = gold.answer === null ? 'none is asked for' : JSON.stringify(gold.answer)
  return [
    `${id} (${kind}, difficulty ${difficulty.toFixed(2)})`,
    instruction,
    `answer: ${answer}`,
    `verifier: ${JSON.stringify(verifier ?? null, null, 2)}`,
  ].join('\n')
}

function properties({ inputSchema }: Tool): object {
  return Object(inputSchema.properties)
}

function localId({ id, environmentId }: Task): string {
  return id.slice(environmentId.length + 1)
}
