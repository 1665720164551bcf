import type { CallOutcome, Environment, Json, JsonObject, StateDiff, StoredVerifier, Task, Tool, ToolCall } from 'rlenv'
import { RlenvError } from 'rlenv'
import type { McpEnvironmentOptions, McpTask } from './environment-options.ts'
import type { ToolCatalog } from './tool-catalog.ts'

/** What the making of an environment needs of its server. */
export interface LiveServer {
  readonly catalog: ToolCatalog
  /** Carries calls out on a fresh instance. @param calls - with the world's names of tools. */
  play(calls: readonly ToolCall[]): Promise<Played>
}

export interface Played {
  readonly outcomes: readonly CallOutcome[]
  /** Initial state to final state; null when the world shows none. */
  readonly diff: StateDiff | null
}

/** The clock of a server is its own. An environment says something all the same, so it says the beginning of time. */
const noClock = '1970-01-01T00:00:00.000Z'

/**
 * The environment of a server that runs.
 *
 * @throws {RlenvError} RLENV_TASK_INVALID for a task that nothing can judge, or whose reference solution fails.
 */
export async function environmentOfServer(options: McpEnvironmentOptions, live: LiveServer): Promise<Environment> {
  const tools = live.catalog.tools.map(({ definition, outputSchema }) => toolOf(definition, outputSchema))
  const tasks = options.tasks.map((task, index) => taskOf(options.id, task, index, live.catalog))
  const verifiers: Record<string, StoredVerifier> = {}
  for (const [index, task] of tasks.entries()) {
    const asked = options.tasks[index]
    if (asked !== undefined) verifiers[task.id] = asked.verifier ?? (await checksOf(task, asked, live))
  }
  return environmentWith(options, { tools, tasks, verifiers })
}

/**
 * The environment of a server that does not start: it keeps its tasks, so that its rollouts are counted, as faults, with
 * what is wrong. None has a verifier, for none could be made.
 */
export function environmentWithoutServer(options: McpEnvironmentOptions): Environment {
  const tasks = options.tasks.map((task, index) => taskOf(options.id, task, index, null))
  return environmentWith(options, { tools: [], tasks, verifiers: {} })
}

function environmentWith(
  { id, name = id, description = `The tools of the MCP server behind ${name}.`, scripts = {} }: McpEnvironmentOptions,
  parts: Pick<Environment, 'tools' | 'tasks' | 'verifiers'>,
): Environment {
  return {
    id,
    scenario: { id, name, description, taxonomy: ['mcp', id], annotations: {} },
    seed: 0,
    database: { schema: '', data: '', clock: noClock, annotations: {} },
    ...parts,
    scripts,
    files: {},
    provenance: [],
  }
}

function toolOf(
  { name, description, inputSchema, readOnly }: ToolCatalog['definitions'][number],
  outputSchema: JsonObject | null,
): Tool {
  return {
    name,
    summary: shortened(description, 80),
    description: shortened(description, 200),
    inputSchema,
    outputSchema: outputSchema ?? {},
    effect: readOnly ? 'read' : 'write',
    tables: [],
    errors: [],
    implementation: { kind: 'world' },
  }
}

function shortened(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim() || '…'
  return line.length <= maxChars
    ? line
    : `${[...line]
        .slice(0, maxChars - 1)
        .join('')
        .slice(0, maxChars - 1)}…`
}

function taskOf(environmentId: string, task: McpTask, index: number, catalog: ToolCatalog | null): Task {
  const { id: local = `t${index + 1}`, instruction, answer = null, difficulty = 0.5, calls = [] } = task
  const { kind = answer === null ? 'act' : 'question' } = task
  const id = `${environmentId}/${local}`
  if (answer === null && calls.length === 0 && task.verifier === undefined) {
    throw taskInvalid(
      id,
      'has no answer, no calls and no verifier, so that nothing can judge it',
      'Give it one of them.',
    )
  }
  const named = calls.map((call) => ({ tool: worldName(id, call.tool, catalog), arguments: call.arguments }))
  return { id, environmentId, instruction, kind, difficulty, gold: { calls: named, answer }, guidelines: [] }
}

function worldName(id: string, tool: string, catalog: ToolCatalog | null): string {
  const name = catalog === null ? tool : catalog.worldName(tool)
  if (name !== undefined) return name
  const known = catalog?.definitions.map((definition) => definition.name).join(', ')
  throw taskInvalid(id, `calls "${tool}", which the server does not have`, `Call one of ${known}.`)
}

function taskInvalid(id: string, what: string, fix: string): RlenvError {
  return new RlenvError(`the task ${id} ${what}`, { code: 'RLENV_TASK_INVALID', fix })
}

/** Checks as the plugin @rlenv/verifier-code reads them, from what the reference solution did. */
async function checksOf({ id, gold }: Task, asked: McpTask, live: LiveServer): Promise<StoredVerifier> {
  const { calls, answer } = gold
  const diff = calls.length === 0 ? null : await goldDiff(id, calls, live)
  const writes = calls.filter(({ tool }) => live.catalog.tool(tool)?.definition.readOnly === false)
  const wording = asked.answers ?? 'exact'
  if (answer === null && (diff ?? []).length === 0 && writes.length === 0) {
    const fix = 'Give it an answer, a verifier, or calls that change something.'
    throw taskInvalid(id, 'has a reference solution that changes nothing, and no answer', fix)
  }
  return {
    kind: 'checks',
    state: (diff ?? []) as unknown as Json,
    generated: [],
    rounding: {},
    references: [],
    answer: answer === null ? null : { value: answer, wording, alternatives: [] },
    calls: (diff ?? []).length > 0 ? [] : (writes as unknown as Json),
  }
}

async function goldDiff(id: string, calls: readonly ToolCall[], live: LiveServer): Promise<StateDiff | null> {
  const { outcomes, diff } = await live.play(calls)
  for (const [index, { result }] of outcomes.entries()) {
    if (result.ok) continue
    const what = `has a reference solution that fails at ${calls[index]?.tool}: ${result.error.message}`
    throw taskInvalid(id, what, 'Correct the calls of the task.')
  }
  return diff
}
