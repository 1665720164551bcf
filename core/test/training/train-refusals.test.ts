import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Algorithm } from '../../src/hooks/roles.ts'
import { drawsOf, stepLine, tracesOf } from './run-remains.ts'
import { TabularLearner } from './tabular-learner.ts'
import { countingSampler, groupAlgorithm, libraries, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-train-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

describe('faults', () => {
  /** A verifier that cannot judge the first `count` rollouts it sees. */
  const silentFor = (count: number) => {
    let seen = 0
    return (reward: number) => {
      seen += 1
      if (seen <= count) throw new Error('shaper is down')
      return reward
    }
  }

  test('leave the statistics, and a task whose whole group faulted is drawn again', async () => {
    await trainTiny({
      root,
      hooks: { rewardShaper: silentFor(4) },
      rollout: { maxConcurrentRollouts: 1 },
      training: { steps: 1, tasksPerStep: 2, rolloutsPerTask: 4 },
      evaluation: { heldOutShare: 0 },
    })
    const groups = await tracesOf(root, 0, 'train/all')
    expect(await drawsOf(root, 0, 'train/effective')).toEqual(['d1', 'd2'])
    const line = await stepLine(root)
    expect(line).toMatchObject({ 'faults/masked': 4, 'rollouts/requeued': 1, 'group/too_few_counted': 1 })
    const taskOf = (draw: string) => groups.find(({ id }) => id.startsWith(`${draw}/`))?.task_id
    expect(await drawsOf(root, 0, 'train/all')).toEqual(['d0', 'd1', 'd2'])
    expect(taskOf('d2')).toBe(taskOf('d0'))
  })

  test('in too large a share stop the run after their traces are written', async () => {
    const run = trainTiny({
      root,
      hooks: { rewardShaper: silentFor(1000) },
      training: { steps: 2, maxRefills: 0, maxFailureShare: 0.25 },
      evaluation: { heldOutShare: 0 },
    })
    await expect(run).rejects.toMatchObject({ code: 'RLENV_FAILURE_SHARE' })
    expect(await drawsOf(root, 0, 'train/all')).toHaveLength(4)
  })

  test('a reward that is not finite is masked and counted, and reaches no number', async () => {
    let seen = 0
    const rewardShaper = (reward: number) => (seen++ === 0 ? Number.NaN : reward)
    await trainTiny({ root, hooks: { rewardShaper }, training: { steps: 1 }, evaluation: { heldOutShare: 0 } })
    const line = await stepLine(root)
    expect(line).toMatchObject({ 'faults/masked': 1, 'error/shaper_failed': 1 })
    expect(Object.values(line!).every(Number.isFinite)).toBe(true)
  })
})

describe('what is refused at once', () => {
  test('a group of one, before any rollout', async () => {
    const { promise, events } = started({ training: { rolloutsPerTask: 1 } })
    await expect(promise).rejects.toMatchObject({ code: 'RLENV_GROUP_TOO_SMALL' })
    expect(events).toEqual([])
  })

  test('a sampler that draws an unknown task, with the names near to it', async () => {
    const { promise } = started({ hooks: { sampler: () => drawing(['library-0/lendd', 'a', 'b', 'c']) } })
    await expect(promise).rejects.toMatchObject({
      code: 'RLENV_SAMPLER_INVALID',
      message: expect.stringContaining('drew "library-0/lendd"'),
      fix: expect.stringMatching(/^Did you mean "library-\d\/lend"/),
    })
  })

  test('a sampler that draws too few tasks', async () => {
    const { promise } = started({ hooks: { sampler: () => drawing(['library-0/lend']) } })
    await expect(promise).rejects.toMatchObject({
      code: 'RLENV_SAMPLER_INVALID',
      message: 'the sampler was asked for 4 tasks and drew 1',
    })
  })

  test('a learner without a policy when nothing else samples', async () => {
    const learner = Object.assign(new TabularLearner(libraries), { policy: null })
    const { promise } = started({ hooks: { learner: () => learner } })
    await expect(promise).rejects.toMatchObject({ code: 'RLENV_HOOK_EMPTY', hook: 'policy' })
  })

  test('environments without any task', async () => {
    const { promise } = started({ environments: libraries.map((library) => ({ ...library, tasks: [] })) })
    await expect(promise).rejects.toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
  })

  const drawing = (ids: readonly string[]) => ({
    ...countingSampler([], undefined as never),
    draw: () => ids,
    state: () => ({}),
  })
  const started = (parts: Omit<Parameters<typeof trainTiny>[0], 'root'>) => {
    const events: string[] = []
    const promise = trainTiny({ root, ...parts, onEvent: ({ type }) => events.push(type) })
    return { promise, events }
  }
})

describe('an algorithm that needs the probability of given actions', () => {
  const truncate = { level: 'token', mode: 'truncate', cap: 2, floor: 0, scope: 'trajectory' } as const
  const correcting: Algorithm = {
    ...groupAlgorithm,
    needsLogProbs: true,
    batch: async (groups) => ({ ...(await groupAlgorithm.batch(groups)), importanceSampling: truncate }),
  }
  const run = (learner: TabularLearner) =>
    trainTiny({
      root,
      learner,
      hooks: { algorithm: () => correcting },
      training: { steps: 1, tasksPerStep: 2, rolloutsPerTask: 4 },
      evaluation: { heldOutShare: 0 },
    })

  test('is refused with a learner that cannot tell it, before the first rollout', async () => {
    const learner = Object.assign(new TabularLearner(libraries), { logProbs: undefined }) as unknown as TabularLearner
    const sample = vi.spyOn(learner.policy, 'sample')
    await expect(run(learner)).rejects.toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
    expect(sample).not.toHaveBeenCalled()
  })

  test('trains with one that can, and reports the weights', async () => {
    await run(new TabularLearner(libraries))
    const line = await stepLine(root)
    expect(line?.['is_weight/mean']).toBeCloseTo(1, 9)
  })
})
