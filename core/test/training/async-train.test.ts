import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Policy } from '../../src/hooks/roles.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { metricsOf, remains } from './run-remains.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-async-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const evaluation = { rolloutsPerTask: 1, maxTasks: 3, greedy: false }
const training = { steps: 6, tasksPerStep: 3, rolloutsPerTask: 3, checkpointEverySteps: 1 }

const stepLines = async (folder: string) => (await metricsOf(folder)).filter((line) => 'rollouts/generated' in line)

describe('training that collects ahead', () => {
  test('samples every step with weights that are exactly as old as the bound allows', async () => {
    await trainTiny({ root, evaluation, training: { ...training, maxStaleness: 2 } })
    const lines = await stepLines(root)
    expect(lines.map((line) => line['staleness/max'])).toEqual([0, 1, 2, 2, 2, 2])
    expect(lines.map((line) => line['staleness/dropped'])).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('with a bound of 0 trains on fresh weights alone', async () => {
    await trainTiny({ root, evaluation, training })
    expect((await stepLines(root)).map((line) => line['staleness/max'])).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('does not count stored rollouts, which have a limit of their own, as stale', async () => {
    const old = (member: JudgedTrajectory) => ({
      ...member,
      trajectory: { ...member.trajectory, policyVersion: member.trajectory.policyVersion - 9 },
      replayed: true,
    })
    const groups = (all: readonly TrajectoryGroup[]) =>
      all.map((group) => ({
        ...group,
        members: group.members.map((member, index) => (index === 0 ? old(member) : member)),
      }))
    await trainTiny({ root, evaluation, training, hooks: { groups } })
    const lines = await stepLines(root)
    expect(lines.map((line) => line['group/kept'])).toEqual([3, 3, 3, 3, 3, 3])
    expect(lines.map((line) => line['staleness/max'])).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('gives the same bytes whatever the concurrency', async () => {
    const parts = { evaluation, training: { ...training, maxStaleness: 1 } }
    const [one, many] = [join(root, 'one'), join(root, 'many')]
    await trainTiny({ ...parts, root: one, rollout: { maxConcurrentRollouts: 1 } })
    await trainTiny({ ...parts, root: many, rollout: { maxConcurrentRollouts: 16 } })
    expect(await remains(one)).toEqual(await remains(many))
  })

  test.each([
    [1, 1],
    [1, 20],
    [2, 9],
    [2, 31],
    [2, 50],
  ])('with bound %i ends like an uninterrupted run when it was stopped at rollout %i', async (maxStaleness, n) => {
    const parts = { evaluation, training: { ...training, maxStaleness } }
    const straight = join(root, 'straight')
    await trainTiny({ ...parts, root: straight })
    const abort = new AbortController()
    let rollouts = 0
    const onEvent = ({ type }: { readonly type: string }) => {
      if (type === 'rollout:end' && ++rollouts === n) abort.abort()
    }
    const stopped = join(root, 'stopped')
    await expect(trainTiny({ ...parts, root: stopped, signal: abort.signal, onEvent })).rejects.toMatchObject({
      code: 'RLENV_INTERRUPTED',
    })
    await trainTiny({ ...parts, root: stopped, resume: true })
    expect(await remains(stopped)).toEqual(await remains(straight))
  })

  test('ends like an uninterrupted run when the learner threw while the next step was being collected', async () => {
    const parts = { evaluation, training: { ...training, maxStaleness: 1 } }
    const straight = join(root, 'straight')
    await trainTiny({ ...parts, root: straight })
    const learner = new TabularLearner(libraries)
    let calls = 0
    learner.onAccumulate = () => {
      if (++calls === 3) throw new Error('out of memory')
    }
    const broken = join(root, 'broken')
    await expect(trainTiny({ ...parts, root: broken, learner })).rejects.toThrow('out of memory')
    await trainTiny({ ...parts, root: broken, resume: true })
    expect(await remains(broken)).toEqual(await remains(straight))
  })

  test('drops and counts groups when the version jumps in flight', async () => {
    const learner = new TabularLearner(libraries)
    const publish = learner.publish.bind(learner)
    // Three updates at once: what was collected meanwhile is three versions old.
    learner.publish = async () => {
      await publish()
      await publish()
      return publish()
    }
    await trainTiny({ root, evaluation, learner, training: { ...training, steps: 3, maxStaleness: 1 } })
    const [, second] = await stepLines(root)
    expect(second).toMatchObject({ 'staleness/dropped': 3, 'group/kept': 0, 'optimizer/steps': 0 })
  })

  test('counts and names what is too old also when nothing is collected ahead', async () => {
    const learner = new TabularLearner(libraries)
    // The policy of another model: no update ever reaches it.
    const other = new TabularLearner(libraries).policy
    const run = trainTiny({
      root,
      evaluation,
      learner,
      hooks: { policy: () => other },
      training: { ...training, steps: 9, stopAfterDeadSteps: 3 },
    })
    await expect(run).rejects.toMatchObject({
      code: 'RLENV_DEAD_RUN',
      message: expect.stringMatching(/^no group had a gradient for 3 steps: \d+ groups stale/),
      fix: expect.stringContaining('the policy that the learner serves'),
    })
    expect((await stepLines(root)).map((line) => line['staleness/dropped'])).toEqual([undefined, 3, 3, 3])
  })

  test('uses a policy that cannot be copied as it is at the moment', async () => {
    const learner = new TabularLearner(libraries)
    const plain: Policy = {
      name: 'plain',
      get policyVersion() {
        return learner.policy.policyVersion
      },
      sample: (request) => learner.policy.sample(request),
    }
    const served = new Proxy(learner, {
      get: (target, key) => {
        if (key === 'policy') return plain
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await trainTiny({
      root,
      evaluation,
      training: { ...training, maxStaleness: 1 },
      hooks: { learner: () => served },
    })
    expect((await stepLines(root)).map((line) => line['group/generated'])).toEqual([3, 3, 3, 3, 3, 3])
  })
})
