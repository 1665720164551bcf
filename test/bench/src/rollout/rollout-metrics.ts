import {
  assemblePipeline,
  createRolloutEngine,
  type Draw,
  type Environment,
  ExecutableWorld,
  loadEnvironment,
  type Policy,
  ReactRollout,
  resolveConfig,
  type Task,
  type ToolCall,
} from 'rlenv'
import { scriptedPolicy, tinyEnvironment, tinyHooks, tinyPlugin } from 'rlenv/testing'
import type { Metric } from '../metric.ts'

const world = new ExecutableWorld()
const signal = new AbortController().signal

interface Workload {
  readonly environment: Environment
  readonly task: Task
  readonly calls: readonly ToolCall[]
  readonly policy: Policy
}

/** Three look-ups, then the gold run of a four-call task, then the answer: eight turns. */
function workload(): Workload {
  const environment = tinyEnvironment()
  const task = environment.tasks[1]
  const first = task?.gold.calls[0]
  if (task === undefined || first === undefined) throw new Error('the tiny library has lost its second task')
  const calls = [first, first, first, ...task.gold.calls]
  return { environment, task, calls, policy: scriptedPolicy([...calls, 'Done.']) }
}

/** Milliseconds per rollout of the whole path: engine, turn loop, tools, verifier, shaper. */
async function rolloutMs({ environment, task, policy }: Workload, groups: number, groupSize: number): Promise<number> {
  const plugin = tinyPlugin({ hooks: { ...tinyHooks, rewardShaper: (reward) => reward } })
  const { config } = await resolveConfig({}, { command: 'bench' })
  const engine = createRolloutEngine({
    pipeline: await assemblePipeline([{ name: 'bench', plugins: [plugin] }]),
    strategy: new ReactRollout(),
    world,
    policy,
    environments: [environment],
    config: config.rollout,
    seed: 1,
    events: () => undefined,
  })
  const draws = Array.from({ length: groups }, (_, ordinal): Draw => {
    return { id: `d${ordinal}`, ordinal, taskId: task.id, environmentId: environment.id, seed: 1, policyVersion: 0 }
  })
  const started = performance.now()
  let passed = 0
  for await (const group of engine.collect({ draws, rolloutsPerDraw: groupSize, purpose: 'train' }, signal)) {
    passed += group.members.filter((member) => member.verdict?.passed).length
  }
  if (passed !== groups * groupSize) throw new Error(`${passed} of ${groups * groupSize} scripted rollouts passed`)
  return (performance.now() - started) / (groups * groupSize)
}

/** Milliseconds per rollout of the same calls made straight on instances: open, call, capture, close. */
function floorMs({ environment, calls }: Workload, rollouts: number): number {
  const executable = loadEnvironment(environment)
  const started = performance.now()
  for (let index = 0; index < rollouts; index++) {
    const instance = executable.open({ seed: 1 })
    for (const call of calls) instance.call(call.tool, call.arguments)
    instance.capture()
    instance.close()
  }
  return (performance.now() - started) / rollouts
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** How much the rollout engine adds to the tool calls that it carries out. */
export async function rolloutMetrics(options: { readonly smoke?: boolean } = {}): Promise<Metric[]> {
  const [groups, rounds] = options.smoke ? [16, 3] : [128, 7]
  const work = workload()
  await rolloutMs(work, 16, 8)
  floorMs(work, 128)
  const pairs: { readonly engine: number; readonly floor: number }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ engine: await rolloutMs(work, groups, 8), floor: floorMs(work, groups * 8) })
  }
  const engine = median(pairs.map((pair) => pair.engine))
  const floor = median(pairs.map((pair) => pair.floor))
  const overhead = median(pairs.map((pair) => pair.engine - pair.floor))
  return [
    {
      id: 'R1',
      what: 'rollouts per second, scripted policy, 8 turns, verified and shaped; floor: the same calls on bare instances',
      value: 1000 / engine,
      unit: '1/s',
      floor: 1000 / floor,
      ratio: floor / engine,
      target: null,
      ok: true,
    },
    {
      id: 'R2',
      what: 'time that the engine adds to one rollout of 8 turns',
      value: overhead,
      unit: 'ms',
      floor,
      ratio: engine / floor,
      target: 0.25,
      ok: overhead <= 0.25,
    },
  ]
}
