import { fileURLToPath } from 'node:url'
import {
  createRolloutEngine,
  type Draw,
  ExecutableWorld,
  loadPipeline,
  type Policy,
  ReactRollout,
  type ResolvedConfig,
} from 'rlenv'
import { goldPolicy, scriptedPolicy, tinyEnvironment } from 'rlenv/testing'
import { median, metric } from '../engine/engine-bench.ts'
import type { Metric } from '../metric.ts'
import { bareRequests, ModelService, modelRollouts, type TurnTimes } from './model-workload.ts'

/** Milliseconds that a tool call may take in the measurement of E22: time enough to make a replacement ready. */
const deadlineMs = 8_000

async function stuckPipeline() {
  return loadPipeline({ file: fileURLToPath(new URL('./stuck-world.js', import.meta.url)), command: 'rollout' })
}

/**
 * Milliseconds from the deadline of a call that is stuck inside SQLite until a rollout that shared its process goes on in
 * the replacement.
 */
async function recoveryMs(): Promise<number> {
  const { pipeline, config } = await stuckPipeline()
  const environment = tinyEnvironment()
  const [bad, good] = environment.tasks
  if (bad === undefined || good === undefined) throw new Error('the tiny library has lost its tasks')
  const gold = goldPolicy([good], { delayMs: 1 })
  const evil = scriptedPolicy([{ tool: 'stuck', arguments: {} }], { delayMs: 100 })
  let calledAt = 0
  let goneOnAt = 0
  const policy: Policy = {
    name: 'mixed',
    policyVersion: 0,
    sample: async (request, signal) => {
      const isBad = request.messages.some(({ content }) => content === bad.instruction)
      if (!isBad && calledAt > 0 && goneOnAt === 0) goneOnAt = performance.now()
      // The good one answers late the first time, so that it is under way when the other one is stuck.
      if (!isBad && calledAt === 0) await new Promise((resolve) => setTimeout(resolve, 500))
      const response = await (isBad ? evil : gold).sample(request, signal)
      if (isBad) calledAt = performance.now()
      return response
    },
  }
  const engine = createRolloutEngine({
    pipeline,
    strategy: new ReactRollout(),
    world: new ExecutableWorld(),
    policy,
    environments: [environment],
    config: { ...config.rollout, mode: 'processes', shards: 1, maxAttempts: 1, toolTimeoutMs: deadlineMs },
    seed: 1,
    events: () => undefined,
  })
  const draws = [bad, good].map((task, ordinal): Draw => {
    return { id: `d${ordinal}`, ordinal, taskId: task.id, environmentId: environment.id, seed: 1, policyVersion: 0 }
  })
  const codes: string[] = []
  const request = { draws, rolloutsPerDraw: 1, purpose: 'rollout' } as const
  for await (const { members } of engine.collect(request, new AbortController().signal)) {
    codes.push(...members.map(({ outcome }) => ('code' in outcome ? outcome.code : outcome.kind)))
  }
  await engine.close()
  if (codes.join() !== 'world_hung,scored') throw new Error(`the rollouts ended as ${codes.join()}`)
  return goneOnAt - calledAt - deadlineMs
}

interface Served {
  readonly rollouts: TurnTimes
  readonly bare: TurnTimes
}

/** One warm-up round that does not count, then rollouts and bare requests in turn. */
async function served(count: number, rounds: number, config: ResolvedConfig['rollout']): Promise<Served[]> {
  const service = await ModelService.start(count)
  try {
    const measured: Served[] = []
    for (let round = 0; round <= rounds; round++) {
      const { times, conversations } = await modelRollouts(service, config)
      const bare = await bareRequests(service, conversations)
      if (round > 0) measured.push({ rollouts: times, bare })
    }
    return measured
  } finally {
    await service.close()
  }
}

/** A number without a target. */
function reported(id: string, what: string, value: number): Metric {
  return { id, what, value, unit: 'ms', floor: null, ratio: null, target: null, ok: true }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Rollouts beside a model service in a process of its own, and what becomes of them when a process hangs. */
export async function shardMetrics(options: { readonly smoke?: boolean } = {}): Promise<Metric[]> {
  const { config } = await stuckPipeline()
  const [many, some, rounds] = options.smoke ? [32, 16, 1] : [1024, 256, 3]
  const wide = await served(many, rounds, config.rollout)
  const narrow = await served(some, rounds, config.rollout)
  const of = (from: readonly Served[], pick: (one: Served) => number) => median(from.map(pick))
  const p99 = (times: TurnTimes) => percentile(times.addedMs, 0.99)
  const service = 'mock model in its own process, 50-300 ms per turn'
  const recoveries: number[] = []
  for (let round = 0; round < rounds; round++) recoveries.push(await recoveryMs())
  return [
    metric(
      'E16',
      `${many} rollouts at once, ${service}; floor: the longest rollout's waiting alone`,
      'ms',
      of(wide, ({ rollouts }) => rollouts.wallMs),
      of(wide, ({ rollouts }) => rollouts.idealMs),
      1.25,
    ),
    metric(
      'E17',
      `processor time per turn of ${many} rollouts, tools included; floor: the same requests alone`,
      'ms',
      of(wide, ({ rollouts }) => rollouts.cpuMs),
      of(wide, ({ bare }) => bare.cpuMs),
      2.2,
    ),
    metric(
      'E18',
      `p99 added per turn at ${some} rollouts`,
      'ms',
      of(narrow, ({ rollouts }) => p99(rollouts)),
      null,
      60,
    ),
    reported(
      'E18w',
      `p99 added per turn at ${many} rollouts`,
      of(wide, ({ rollouts }) => p99(rollouts)),
    ),
    metric(
      'E22',
      'SQL without end in a process: from its deadline until a rollout beside it goes on in the replacement',
      'ms',
      median(recoveries),
      null,
      250,
    ),
  ]
}
