import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { CallOutcome, CapturedState, World, WorldInstance } from '../../src/hooks/world.ts'
import { type AssembledPipeline, assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Json } from '../../src/vocabulary/json.ts'
import type { Message } from '../../src/vocabulary/message.ts'
import type { RowChange } from '../../src/vocabulary/state-diff.ts'
import type { Task } from '../../src/vocabulary/task.ts'
import type { ToolDefinition, ToolErrorKind } from '../../src/vocabulary/tool.ts'

/** Tasks `counter/t0` … that ask to add 1 to a counter; their verifiers pass when the counter stands at 1. */
export function counterEnvironment(tasks = 1, id = 'counter'): Environment {
  const list = Array.from({ length: tasks }, (_, index): Task => {
    return {
      id: `${id}/t${index}`,
      environmentId: id,
      instruction: `Add one, please (${index}).`,
      kind: 'update',
      difficulty: 0.1,
      gold: { calls: [{ tool: 'add', arguments: { by: 1 } }], answer: null },
      guidelines: [],
    }
  })
  return {
    id,
    scenario: { id, name: 'Counter', description: 'A counter.', taxonomy: [], annotations: {} },
    seed: 0,
    database: { schema: '', data: '', clock: '2026-01-01T00:00:00.000Z', annotations: {} },
    tools: [],
    tasks: list,
    verifiers: Object.fromEntries(list.map((task) => [task.id, { kind: 'counter', goal: 1 }])),
    scripts: {},
    files: {},
    provenance: [],
  }
}

const tools: readonly ToolDefinition[] = [
  { name: 'add', description: 'Adds.', inputSchema: { type: 'object' }, readOnly: false },
  { name: 'read', description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true },
]

/** What a counter world does otherwise than it should. */
export interface CounterFaults {
  readonly call?: (name: string, args: Json, instance: CounterInstance) => unknown
  readonly capture?: () => never
  readonly close?: () => void | Promise<void>
}

/** A counter in memory. */
export class CounterInstance implements WorldInstance {
  readonly tools = tools
  value = 0
  closed = 0
  readonly #faults: CounterFaults

  constructor(faults: CounterFaults = {}) {
    this.#faults = faults
  }

  call(name: string, args: Json): CallOutcome | Promise<CallOutcome> {
    const faulty = this.#faults.call?.(name, args, this)
    return faulty === undefined ? this.answer(name, args) : (faulty as CallOutcome)
  }

  answer(name: string, args: Json): CallOutcome {
    const by = (args as { by?: unknown }).by
    if (name === 'read') return { result: { ok: true, content: { value: this.value } }, diff: [] }
    if (name !== 'add') return refusal('unknown_tool', `there is no tool ${name}`)
    if (typeof by !== 'number') return refusal('invalid_arguments', 'by must be a number')
    const before = { id: 1, value: this.value }
    this.value += by
    const after = { id: 1, value: this.value }
    return {
      result: { ok: true, content: { value: this.value } },
      diff: [{ kind: 'update', table: 'counter', key: { id: 1 }, before, after }],
    }
  }

  capture(): CapturedState {
    this.#faults.capture?.()
    const state = (value: number) => {
      const rows = () => [{ id: 1, value }]
      return { tables: ['counter'], rows, query: rows }
    }
    const before = { id: 1, value: 0 }
    const change: RowChange = {
      kind: 'update',
      table: 'counter',
      key: { id: 1 },
      before,
      after: { id: 1, value: this.value },
    }
    return { initial: state(0), final: state(this.value), diff: this.value === 0 ? [] : [change] }
  }

  close(): void | Promise<void> {
    this.closed++
    return this.#faults.close?.()
  }
}

export function refusal(kind: ToolErrorKind, message: string): CallOutcome {
  return { result: { ok: false, error: { kind, code: kind, message } }, diff: [] }
}

/** A world of counters that remembers every instance it opened. */
export class CounterWorld implements World {
  readonly name = 'counters'
  readonly instances: CounterInstance[] = []
  readonly #open: (count: number) => CounterInstance | Promise<CounterInstance>

  constructor(open: (count: number) => CounterInstance | Promise<CounterInstance> = () => new CounterInstance()) {
    this.#open = open
  }

  open(): CounterInstance | Promise<CounterInstance> {
    const opened = this.#open(this.instances.length)
    if (opened instanceof CounterInstance) this.instances.push(opened)
    else void opened.then((instance) => this.instances.push(instance))
    return opened
  }

  close(): void {}
}

/** Verifies counters, and rewards 1 for passed, -1 for failed or the policy's fault, 0 otherwise. */
export const counterHooks = {
  verifier: {
    prepare: () => ({ kind: 'counter', goal: 1 }),
    judge: ({ verifier, final }) => {
      const passed = final.rows('counter')[0]?.value === verifier.goal
      return { kind: passed ? 'passed' : 'failed', passed, score: passed ? 1 : 0, evidence: [] }
    },
  },
  rewardShaper: (_reward, { judged }) => {
    if (judged.outcome.kind === 'policy_fault') return -1
    if (judged.outcome.kind !== 'scored') return 0
    return judged.verdict?.passed === true ? 1 : -1
  },
} satisfies PluginHooks

export function counterPipeline(hooks: PluginHooks = {}): Promise<AssembledPipeline> {
  const plugin = tinyPlugin({ name: 'counter', hooks: { ...counterHooks, ...hooks } })
  return assemblePipeline([{ name: 'test', plugins: [plugin] }])
}

/** The texts of all messages of one role. */
export function contentsOf(messages: readonly Message[], role: Message['role']): (string | null)[] {
  return messages.filter((message) => message.role === role).map((message) => message.content)
}
