import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grpo } from '@rlenv/algorithm-grpo'
import { replayGroups } from '@rlenv/groups-replay'
import { adaptiveSampler } from '@rlenv/sampler-adaptive'
import { assemblePipeline, corePlugins, type Policy, type RunEvent, resolveConfig, systemClock, train } from 'rlenv'
import { scriptedPolicy, tinyEnvironment, tinyHooks, tinyPlugin } from 'rlenv/testing'
import { NoRecords } from '../learner/no-records.ts'
import type { Metric } from '../metric.ts'
import { CountingLearner } from './counting-learner.ts'

const signal = new AbortController().signal

/** 64 tasks × 16 rollouts, as in the source. */
const step = { tasksPerStep: 64, rolloutsPerTask: 16 }

const environments = Array.from({ length: 8 }, (_, index) => tinyEnvironment({ id: `library-${index}`, seed: index }))

const tasks = new Map(environments.flatMap((environment) => environment.tasks.map((task) => [task.instruction, task])))

/** Solves a task or refuses it, by the rollout's own coin: some groups tie, so that the replay store has work to do. */
function policy(): Policy {
  return scriptedPolicy(({ messages, random }, turn) => {
    const task = tasks.get(String(messages.find(({ role }) => role === 'user')?.content))
    if (task === undefined || random.fork('mood').chance(0.8)) return 'I would rather not.'
    return task.gold.calls[turn] ?? String(task.gold.answer ?? 'Done.')
  })
}

/** Resident memory after each step, MiB, of a run with everything that keeps rollouts. */
async function memoryOfSteps(directory: string, steps: number): Promise<readonly number[]> {
  const plugin = tinyPlugin({
    hooks: { ...tinyHooks, policy, learner: () => new CountingLearner(), rewardShaper: (reward) => reward },
  })
  const { config, layers } = await resolveConfig(
    {
      plugins: [plugin, adaptiveSampler(), replayGroups(), grpo()],
      training: {
        ...step,
        steps,
        maxRefills: 0,
        maxStaleness: 1,
        stopAfterDeadSteps: steps + 3,
        checkpointEverySteps: steps,
      },
      evaluation: { heldOutShare: 0 },
    },
    { command: 'train', core: corePlugins() },
  )
  const pipeline = await assemblePipeline(layers)
  const resident: number[] = []
  const events = (event: RunEvent) => {
    if (event.type === 'step:end') resident.push(process.memoryUsage().rss / 2 ** 20)
  }
  const records = new NoRecords(directory)
  await train({ pipeline, config, environments, records, events, clock: systemClock, resume: false }, signal)
  return resident
}

const highest = (values: readonly number[]) => Math.max(...values)

/** Whether a long run with many rollouts per step keeps its memory; id `L23`. */
export async function memoryMetrics(options: { readonly smoke?: boolean } = {}): Promise<Metric[]> {
  const directory = await mkdtemp(join(tmpdir(), 'rlenv-bench-memory-'))
  const steps = options.smoke ? 6 : 96
  try {
    const resident = await memoryOfSteps(directory, steps)
    const third = Math.floor(steps / 3)
    const value = highest(resident.slice(-third)) - highest(resident.slice(third, 2 * third))
    const rollouts = step.tasksPerStep * step.rolloutsPerTask
    const what = `growth of resident memory from the second to the last third of ${steps} steps of ${rollouts} rollouts; at most`
    const target = options.smoke ? null : 32
    return [
      { id: 'L23', what, value, unit: 'MiB', floor: null, ratio: null, target, ok: target === null || value <= target },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
