import {
  createRolloutEngine,
  type Draw,
  type Environment,
  ExecutableWorld,
  type JudgedTrajectory,
  loadPipeline,
  type PolicyRequest,
  ReactRollout,
  type ResolvedConfig,
  type RolloutEngine,
  type RolloutMode,
  type RunEvent,
  type ToolCall,
} from 'rlenv'
import { goldTurns, scriptedPolicy, tinyEnvironment } from 'rlenv/testing'

/**
 * A configuration whose world adds tools to every environment that do what nothing inside a thread can stop: SQL without
 * end on a connection of its own, a loop, memory without end, the end of the process. Its states hang over the query
 * "endless"; its verifier hangs over the answer "hang" and never answers to "never".
 */
export const hostileConfig = `import Database from 'better-sqlite3'
import { defineConfig, definePlugin, ExecutableWorld, reactRollout } from 'rlenv'
import { tinyHooks, tinyPlugin } from 'rlenv/testing'
import { appendFileSync } from 'node:fs'
import { z } from 'zod'

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const attacks = {
  sql: () => new Database(':memory:').prepare(endless).get(),
  loop: () => { for (;;) {} },
  memory: () => { const held = []; for (;;) held.push(new Array(1000).fill(held.length)) },
  exit: () => process.exit(7),
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  late: () => new Promise((resolve) => setTimeout(() => { for (;;) {} }, 20)),
}
const tools = Object.keys(attacks).map((name) => ({ name, description: name, inputSchema: { type: 'object' }, readOnly: true }))

const hangingOver = (reader) => ({
  tables: reader.tables,
  rows: (table) => reader.rows(table),
  query: (sql, parameters) => (sql === 'endless' ? attacks.sql() : reader.query(sql, parameters)),
})

class HostileWorld {
  name = 'hostile'
  #inner = new ExecutableWorld()
  #tools = null
  async open(request, signal) {
    const instance = await this.#inner.open(request, signal)
    const all = (this.#tools ??= [...instance.tools, ...tools])
    return {
      tools: all,
      call(name, args, signal) {
        if (!(name in attacks)) return instance.call(name, args, signal)
        if (process.env.HOSTILE_PIDS) appendFileSync(process.env.HOSTILE_PIDS, process.pid + '\\n')
        return attacks[name]()
      },
      async capture() {
        const state = await instance.capture()
        return { ...state, final: hangingOver(state.final) }
      },
      close: () => instance.close(),
    }
  }
  close() { return this.#inner.close() }
}

const verifier = {
  prepare: () => undefined,
  judge: ({ trajectory }) => {
    if (trajectory.answer === 'hang') for (;;) {}
    return trajectory.answer === 'never' ? new Promise(() => undefined) : undefined
  },
}
const world = () => {
  if (process.env.HOSTILE_WORLDS) appendFileSync(process.env.HOSTILE_WORLDS, process.pid + '\\n')
  return new HostileWorld()
}

const hostile = definePlugin({ name: 'hostile', options: z.strictObject({}), setup: () => ({ world, verifier }) })
export default defineConfig({
  plugins: [
    hostile(),
    tinyPlugin({ name: 'tiny', hooks: { ...tinyHooks, rewardShaper: (reward) => reward } }),
  ],
})
`

/** Plays one rollout that attacks and one that does not, and prints the warnings and what came of them. */
export const attackScript = `import { createRolloutEngine, ExecutableWorld, loadPipeline, ReactRollout } from 'rlenv'
import { goldPolicy, scriptedPolicy, tinyEnvironment } from 'rlenv/testing'

const [mode, attack, toolTimeoutMs = 500] = process.argv.slice(2)
const { pipeline, config } = await loadPipeline({ file: 'rlenv.config.mjs', command: 'rollout' })
const environment = tinyEnvironment()
const [bad, good] = environment.tasks
const gold = goldPolicy([good])
const evil = scriptedPolicy([{ tool: attack, arguments: {} }])
const engine = createRolloutEngine({
  pipeline,
  strategy: new ReactRollout(),
  world: new ExecutableWorld(),
  policy: {
    name: 'mixed',
    policyVersion: 0,
    sample: (request, signal) => (request.messages[1].content === bad.instruction ? evil : gold).sample(request, signal),
  },
  environments: [environment],
  config: { ...config.rollout, mode, maxAttempts: 1, shards: 1, toolTimeoutMs: Number(toolTimeoutMs) },
  seed: 5,
  events: (event) => event.type === 'warning' && console.log(event.message),
})
const draws = [bad, good].map((task, ordinal) => {
  return { id: 'd' + ordinal, ordinal, taskId: task.id, environmentId: environment.id, seed: 1, policyVersion: 0 }
})
for await (const { members } of engine.collect({ draws, rolloutsPerDraw: 1, purpose: 'rollout' }, new AbortController().signal)) {
  for (const { outcome, verdict } of members) console.log(JSON.stringify({ outcome, passed: verdict?.passed }))
}
await engine.close()
process.kill(process.pid, 'SIGKILL')
`

/** A library whose first task has a tool that is a script. */
export function scriptedLibrary(body: string): Environment {
  const library = tinyEnvironment()
  const { name: _name, ...like } = library.tools[0] as Environment['tools'][number]
  const tool: Environment['tools'][number] = {
    ...like,
    name: 'scripted',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: {},
    errors: [],
    implementation: { kind: 'script', file: 'tools/scripted.ts' },
  }
  return { ...library, tools: [...library.tools, tool], scripts: { 'tools/scripted.ts': `export default ${body}` } }
}

export interface HostileRun {
  readonly engine: RolloutEngine
  readonly events: RunEvent[]
  readonly environment: Environment
  /** Asked by the policy, in order: task of the conversation. */
  readonly asked: { readonly task: string; readonly at: number }[]
}

export interface HostileOptions {
  readonly mode: RolloutMode
  readonly environment?: Environment
  /** What the policy calls in the first task in place of the gold run. */
  readonly attack?: string
  readonly rollout?: Partial<ResolvedConfig['rollout']>
  /** Milliseconds before each reply. Default 5. */
  readonly delayMs?: number
}

/** An engine whose policy plays gold everywhere but in the first task, where it makes one call that never ends well. */
export async function hostileRun(file: string, options: HostileOptions): Promise<HostileRun> {
  const { mode, environment = tinyEnvironment(), attack, delayMs = 5 } = options
  const { pipeline, config } = await loadPipeline({ file, command: 'rollout' })
  const events: RunEvent[] = []
  const asked: { task: string; at: number }[] = []
  const bad = environment.tasks[0]
  const turn = ({ messages }: PolicyRequest, index: number) => {
    const text = messages.find(({ role }) => role === 'user')?.content
    const task = environment.tasks.find(({ instruction }) => instruction === text)
    if (task === undefined) throw new Error(`nobody asked for "${text}"`)
    asked.push({ task: task.id, at: performance.now() })
    if (task === bad && attack !== undefined) {
      return index === 0 ? ({ tool: attack, arguments: {} } satisfies ToolCall) : 'Done.'
    }
    const turns = goldTurns(task, 'direct')
    return turns[Math.min(index, turns.length - 1)] ?? 'Done.'
  }
  const engine = createRolloutEngine({
    pipeline,
    strategy: new ReactRollout(),
    world: new ExecutableWorld(),
    policy: scriptedPolicy(turn, { delayMs }),
    environments: [environment],
    config: { ...config.rollout, mode, maxAttempts: 1, shards: 1, ...options.rollout },
    seed: 5,
    events: (event) => events.push(event),
    retryDelayMs: 1,
  })
  return { engine, events, environment, asked }
}

/** One draw per task; all groups' members. */
export async function playAll({ engine, environment }: HostileRun, rollouts = 2): Promise<readonly JudgedTrajectory[]> {
  const draws = environment.tasks.map((task, ordinal): Draw => {
    return {
      id: `d${ordinal}`,
      ordinal,
      taskId: task.id,
      environmentId: environment.id,
      seed: ordinal,
      policyVersion: 0,
    }
  })
  const members: JudgedTrajectory[] = []
  const request = { draws, rolloutsPerDraw: rollouts, purpose: 'rollout' } as const
  for await (const group of engine.collect(request, new AbortController().signal)) members.push(...group.members)
  return members
}
