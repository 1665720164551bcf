import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  type AssistantMessage,
  assemblePipeline,
  createRolloutEngine,
  type Environment,
  ExecutableWorld,
  type Message,
  type Policy,
  type PolicyRequest,
  type PolicyResponse,
  RandomStream,
  ReactRollout,
  type ResolvedConfig,
  type ToolCall,
} from 'rlenv'
import { tinyHooks, tinyPlugin } from 'rlenv/testing'
import { Pool } from 'undici'
import { benchEnvironment, benchPlans } from '../engine/fixture.ts'

/** Milliseconds that the model takes for each turn of a rollout: 50 to 300, the same in every run. */
function delaysOf(plan: readonly ToolCall[], rollout: number): readonly number[] {
  const random = RandomStream.of(3, 'delay', rollout)
  return Array.from({ length: plan.length + 1 }, () => 50 + random.int(251))
}

/** What was measured while rollouts talked to the model service. */
export interface TurnTimes {
  readonly turns: number
  readonly wallMs: number
  /** The longest rollout's delays alone: no engine can be faster when all run at once. */
  readonly idealMs: number
  /** Milliseconds of processor time of this process per turn. */
  readonly cpuMs: number
  /** Shape [turns]: milliseconds between two turns of a rollout beyond what the model took. */
  readonly addedMs: readonly number[]
}

/** The model service, and how long each rollout of it takes. */
export class ModelService {
  readonly plans: readonly (readonly ToolCall[])[]
  readonly #delays: readonly (readonly number[])[]
  readonly #child: ChildProcess
  readonly #pool: Pool

  private constructor(child: ChildProcess, port: number, rollouts: number) {
    this.#child = child
    this.plans = benchPlans(rollouts)
    this.#delays = this.plans.map(delaysOf)
    this.#pool = new Pool(`http://127.0.0.1:${port}`, {
      connections: rollouts,
      pipelining: 1,
      keepAliveTimeout: 60_000,
    })
  }

  static async start(rollouts: number): Promise<ModelService> {
    const child = fork(fileURLToPath(new URL('./model-server.js', import.meta.url)))
    const [port] = (await once(child, 'message')) as [number]
    return new ModelService(child, port, rollouts)
  }

  async close(): Promise<void> {
    await this.#pool.close()
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }

  /** The answer to a body, after so many milliseconds. */
  async ask(body: string, delayMs: number): Promise<AssistantMessage> {
    const headers = { 'content-type': 'application/json', 'x-delay': String(delayMs) }
    const response = await this.#pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body })
    const { choices } = (await response.body.json()) as { choices: { message: AssistantMessage }[] }
    const [choice] = choices
    if (choice === undefined) throw new Error('the model service said nothing')
    return choice.message
  }

  delayMs(rollout: number, turn: number): number {
    return this.#delays[rollout]?.[turn] ?? 0
  }

  idealMs(): number {
    return Math.max(...this.#delays.map((delays) => delays.reduce((a, b) => a + b, 0)))
  }
}

/** What rollouts said to the model, by rollout. */
export type Conversations = readonly {
  readonly messages: readonly Message[]
  /** Per turn, how many of the messages there were. */
  readonly lengths: readonly number[]
}[]

const bodyOf = (messages: readonly Message[]) => JSON.stringify({ model: 'mock', messages })

/** The same requests without rollouts: the same conversations, written out and sent. */
export async function bareRequests(service: ModelService, conversations: Conversations): Promise<TurnTimes> {
  const addedMs: number[] = []
  const cpu = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    conversations.map(async ({ messages, lengths }, rollout) => {
      for (const [turn, length] of lengths.entries()) {
        const [delayMs, asked] = [service.delayMs(rollout, turn), performance.now()]
        await service.ask(bodyOf(messages.slice(0, length)), delayMs)
        addedMs.push(performance.now() - asked - delayMs)
      }
    }),
  )
  return timesOf(service, addedMs, started, cpu)
}

function timesOf(service: ModelService, addedMs: readonly number[], started: number, cpu: NodeJS.CpuUsage): TurnTimes {
  const wallMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const turns = service.plans.reduce((total, plan) => total + plan.length + 1, 0)
  return { turns, wallMs, idealMs: service.idealMs(), cpuMs: (user + system) / 1000 / turns, addedMs }
}

/** Plays a plan per rollout, asking the service before each turn; notes what was said and how late turns come. */
class ServedPlans implements Policy {
  readonly name = 'mock'
  readonly policyVersion = 0
  readonly addedMs: number[] = []
  readonly conversations: { readonly messages: readonly Message[]; readonly lengths: number[] }[] = []
  readonly #service: ModelService
  readonly #due = new Map<number, number>()

  constructor(service: ModelService) {
    this.#service = service
  }

  async sample({ messages }: PolicyRequest): Promise<PolicyResponse> {
    const rollout = Number(messages[1]?.content)
    const turn = this.conversations[rollout]?.lengths.length ?? 0
    const now = performance.now()
    const due = this.#due.get(rollout)
    if (due !== undefined) this.addedMs.push(now - due)
    const delayMs = this.#service.delayMs(rollout, turn)
    this.#due.set(rollout, now + delayMs)
    const conversation = this.conversations[rollout] ?? { messages, lengths: [] }
    this.conversations[rollout] = conversation
    conversation.lengths.push(messages.length)
    const { content } = await this.#service.ask(bodyOf(messages), delayMs)
    const call = this.#service.plans[rollout]?.[turn]
    return {
      message: call === undefined ? { role: 'assistant', content } : callMessage(call, turn),
      span: { role: 'act', policyVersion: 0, temperature: 1, actions: [0], logProbs: [0] },
      finish: 'stop',
      usage: { promptTokens: 0, completionTokens: 1 },
    }
  }
}

function callMessage({ tool, arguments: args }: ToolCall, turn: number): AssistantMessage {
  const called = { name: tool, arguments: JSON.stringify(args) }
  return { role: 'assistant', content: null, tool_calls: [{ id: `call_${turn}`, type: 'function', function: called }] }
}

/** One task per rollout, so that each has a plan of its own. */
function environmentFor(rollouts: number): Environment {
  const environment = benchEnvironment()
  const tasks = Array.from({ length: rollouts }, (_, index) => ({
    id: `bench/t${index}`,
    environmentId: environment.id,
    instruction: String(index),
    kind: 'update' as const,
    difficulty: 0.5,
    gold: { calls: [], answer: null },
    guidelines: [],
  }))
  return { ...environment, tasks, verifiers: Object.fromEntries(tasks.map(({ id }) => [id, { kind: 'any' }])) }
}

const hooks = {
  ...tinyHooks,
  verifier: {
    prepare: () => ({ kind: 'any' }),
    judge: () => ({ kind: 'passed' as const, passed: true, score: 1, evidence: [] }),
  },
  rewardShaper: (reward: number) => reward,
}

/** Plays all rollouts at once in this thread; their conversations come back for {@link bareRequests}. */
export async function modelRollouts(
  service: ModelService,
  config: ResolvedConfig['rollout'],
): Promise<{ readonly times: TurnTimes; readonly conversations: Conversations }> {
  const rollouts = service.plans.length
  const environment = environmentFor(rollouts)
  const policy = new ServedPlans(service)
  const engine = createRolloutEngine({
    pipeline: await assemblePipeline([{ name: 'bench', plugins: [tinyPlugin({ hooks })] }]),
    strategy: new ReactRollout(),
    world: new ExecutableWorld(),
    policy,
    environments: [environment],
    config: { ...config, maxConcurrentRollouts: rollouts, maxTurns: 64 },
    seed: 1,
    events: () => undefined,
  })
  const draws = environment.tasks.map(({ id }, ordinal) => {
    return { id: `d${ordinal}`, ordinal, taskId: id, environmentId: environment.id, seed: ordinal, policyVersion: 0 }
  })
  const cpu = process.cpuUsage()
  const started = performance.now()
  const request = { draws, rolloutsPerDraw: 1, purpose: 'train' } as const
  for await (const { members } of engine.collect(request, new AbortController().signal)) {
    const [member] = members
    if (member?.outcome.kind !== 'scored') throw new Error(`a rollout ended in ${JSON.stringify(member?.outcome)}`)
  }
  return { times: timesOf(service, policy.addedMs, started, cpu), conversations: policy.conversations }
}
