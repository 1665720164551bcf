import { beforeAll, describe, expect, test } from 'vitest'
import { configDefaults } from '../../src/config/config-defaults.ts'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import { assertFailureShare, evaluate, evaluationMetrics } from '../../src/evaluation/evaluate.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { ReactRollout } from '../../src/rollout/react-rollout.ts'
import { createRolloutEngine } from '../../src/rollout/rollout-engine.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import { tinyVerifier } from '../../src/testing/tiny-verifier.ts'
import type { TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { TabularLearner } from '../training/tabular-learner.ts'

const environments = ['a', 'b', 'c'].map((id, seed) => tinyEnvironment({ id: `library-${id}`, seed }))

async function evaluateTiny(
  settings: Partial<(typeof configDefaults)['evaluation']> = {},
  { hooks = {}, step = 3 as number | null }: { hooks?: PluginHooks; step?: number | null } = {},
) {
  const all = { verifier: tinyVerifier, rewardShaper: (reward: number) => reward, ...hooks }
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [tinyPlugin({ hooks: all })] }])
  const { policy } = new TabularLearner(environments, { initial: [0.2, 0.1, 0] })
  const engine = createRolloutEngine({
    pipeline,
    strategy: new ReactRollout(),
    world: new ExecutableWorld(),
    policy,
    environments,
    config: configDefaults.rollout,
    seed: 5,
    events: () => undefined,
  })
  const groups: TrajectoryGroup[] = []
  const report = await evaluate(
    {
      engine,
      environments,
      settings: { ...configDefaults.evaluation, ...settings },
      seed: 5,
      policy,
      step,
      onGroup: (group) => void groups.push(group),
    },
    new AbortController().signal,
  )
  return { report, groups }
}

describe('evaluate', () => {
  let first: Awaited<ReturnType<typeof evaluateTiny>>
  beforeAll(async () => {
    first = await evaluateTiny()
  })

  test('plays every task sampled and greedy, in the order of tasks', () => {
    const { report, groups } = first
    expect(report).toMatchObject({ format: 1, policy: 'tabular', step: 3, environments: 3, tasks: 12 })
    expect(report.sampled).toMatchObject({ temperature: 1, rolloutsPerTask: 4, rollouts: 48, counted: 48 })
    expect(report.greedy).toMatchObject({ temperature: 0, rolloutsPerTask: 1, rollouts: 12 })
    const ids = environments.flatMap(({ tasks }) => tasks.map(({ id }) => id))
    expect(groups.map(({ taskId }) => taskId)).toEqual([...ids, ...ids])
  })

  test('measures the greedy policy apart from the sampled one', () => {
    // The first arm is the best one; at temperature 1 the other two come almost as often.
    expect(first.report.greedy?.pass1.value).toBeGreaterThan(0.9)
    expect(first.report.sampled.pass1.value).toBeGreaterThan(0.1)
    expect(first.report.sampled.pass1.value).toBeLessThan(0.7)
  })

  test('gives the same report again', async () => {
    expect((await evaluateTiny()).report).toEqual(first.report)
  })

  test('opens a task’s world with one seed after every step, so that reports can be paired', async () => {
    const later = await evaluateTiny({}, { step: 9 })
    const seeds = (groups: readonly TrajectoryGroup[]) => groups.map(({ members }) => members[0]?.trajectory.seed)
    expect(seeds(later.groups)).toEqual(seeds(first.groups))
    expect(later.groups[0]?.drawId).not.toBe(first.groups[0]?.drawId)
  })

  test('plays only as many tasks as allowed, and no greedy ones unless asked', async () => {
    const { report } = await evaluateTiny({ maxTasks: 5, greedy: false })
    expect(report).toMatchObject({ tasks: 5, environments: 2, greedy: null })
  })

  test('names its numbers for the metrics', () => {
    const names = Object.keys(evaluationMetrics(first.report))
    expect(names).toEqual([
      'eval/pass@1',
      'eval/pass@2',
      'eval/pass^2',
      'eval/pass@4',
      'eval/pass^4',
      'eval/pass@1_low',
      'eval/pass@1_high',
      'eval/greedy_pass@1',
      'eval/reward/mean',
      'eval/error_rate',
      'eval/unscored_rate',
    ])
  })
})

describe('the failure share of an evaluation', () => {
  test('lets a good one pass', async () => {
    const { report } = await evaluateTiny({ maxTasks: 2 })
    expect(() => assertFailureShare(report, 0)).not.toThrow()
  })

  test('stops one that says too little, with the causes by count', async () => {
    const silent = {
      ...tinyVerifier,
      judge: () => ({ kind: 'unscored', passed: false, score: 0, evidence: [] }) as const,
    }
    const { report } = await evaluateTiny({ maxTasks: 2, rolloutsPerTask: 3 }, { hooks: { verifier: silent } })
    expect(report.sampled).toMatchObject({ counted: 0, unscoredRate: 1, pass1: { value: null } })
    expect(() => assertFailureShare(report, 0.05)).toThrow(
      expect.objectContaining({
        code: 'RLENV_FAILURE_SHARE',
        message: expect.stringContaining(
          "100.0 % of the evaluation's rollouts faulted or stayed unscored, more than 5.0 %: 8 ",
        ),
      }),
    )
  })
})
