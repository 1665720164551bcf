import { type ReplayGroupsOptions, replayGroups } from '@rlenv/groups-replay'
import { assemblePipeline, groupAdvantages, groupRewards, type Pipeline, type TrajectoryGroup } from 'rlenv'
import { groupOf, type MemberSpec, testContext } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

const pipelineOf = (options: ReplayGroupsOptions = {}) =>
  assemblePipeline([{ name: 'test', plugins: [replayGroups(options)] }])

let ordinal = 0
/** A group of its own draw, sampled at a policy version. */
function group(rewards: readonly MemberSpec[], version = 0, taskId = 'shop/t1'): TrajectoryGroup {
  ordinal += 1
  const plain = groupOf(rewards, { ordinal, taskId })
  const members = plain.members.map((member) => ({
    ...member,
    trajectory: { ...member.trajectory, policyVersion: version },
  }))
  return { ...plain, policyVersion: version, members }
}

/** Runs one step; the groups that come out and its metrics. */
async function step(
  pipeline: Pipeline,
  number: number,
  groups: readonly TrajectoryGroup[],
  policyVersion = number,
  learnerVersion = policyVersion,
) {
  const metrics: Record<string, number> = {}
  const metric = (name: string, value: number, over = 'sum') => {
    metrics[name] = over === 'sum' ? (metrics[name] ?? 0) + value : value
  }
  const context = { ...testContext(number), step: number, policyVersion, learnerVersion, metric }
  return { out: await pipeline.chain('groups', groups, context), metrics }
}

const replayedIn = (groups: readonly TrajectoryGroup[]) =>
  groups.flatMap(({ members }) => members.filter(({ replayed }) => replayed === true))

describe('replayGroups', () => {
  test('puts exactly one stored rollout with another reward into a flat group of the same task', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([1, -1, -1, -1])])
    const flat = group([-1, -1, -1, -1], 1)
    const { out, metrics } = await step(pipeline, 1, [flat])
    expect(out).toHaveLength(1)
    expect(groupRewards(out[0]!).toSorted()).toEqual([-1, -1, -1, 1].toSorted())
    expect(replayedIn(out)).toHaveLength(1)
    expect(metrics).toMatchObject({
      'replay/swaps': 1,
      'replay/swap_rate': 1,
      'replay/age': 1,
      'replay/flat_before': 1,
      'replay/flat_after': 0,
    })
  })

  test('gives the group advantages that are not zero and point the right way', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([1, -1])])
    const { out } = await step(pipeline, 1, [group([-1, -1, -1, -1], 1)])
    const advantages = groupAdvantages(groupRewards(out[0]!))
    const place = out[0]!.members.findIndex(({ replayed }) => replayed === true)
    expect(advantages[place]).toBeGreaterThan(0)
    expect(advantages.filter((_, index) => index !== place).every((value) => value !== null && value < 0)).toBe(true)
  })

  test('keeps the log-probabilities and the version of the weights that sampled the stored rollout', async () => {
    const pipeline = await pipelineOf()
    const first = group([1, -1], 3)
    await step(pipeline, 3, [first])
    const { out } = await step(pipeline, 9, [group([-1, -1], 9)])
    const [member] = replayedIn(out)
    expect(member?.trajectory).toEqual(first.members[0]?.trajectory)
    expect(member?.expiresAfter).toBe(3 + 20)
  })

  test('leaves a group whose rewards differ as it is', async () => {
    const pipeline = await pipelineOf()
    const live = group([1, -1])
    const { out } = await step(pipeline, 0, [live])
    expect(out[0]).toBe(live)
  })

  test('drops groups that stay flat, or keeps them when told so', async () => {
    const flat = () => [group([1, 1])]
    expect((await step(await pipelineOf(), 0, flat())).out).toEqual([])
    expect((await step(await pipelineOf({ flat: 'keep' }), 0, flat())).out).toHaveLength(1)
  })

  test('uses what a flat group left behind, once the task flips', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([-1, -1])])
    const { out } = await step(pipeline, 1, [group([1, 1, 1], 1)])
    expect(groupRewards(out[0]!).filter((reward) => reward === -1)).toHaveLength(1)
  })

  test('never takes a rollout of another task', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([1, -1], 0, 'shop/t1')])
    expect((await step(pipeline, 1, [group([-1, -1], 1, 'shop/t2')])).out).toEqual([])
  })

  test('forgets rollouts that are older than the limit', async () => {
    const pipeline = await pipelineOf({ maxAge: 5 })
    await step(pipeline, 0, [group([1, -1], 0)])
    expect(replayedIn((await step(pipeline, 5, [group([-1, -1], 5)])).out)).toHaveLength(1)
    const late = await step(pipeline, 6, [group([-1, -1], 6)])
    expect(late.out).toEqual([])
  })

  test('counts the age to the version that will learn from it', async () => {
    const stored = [group([1, -1], 0)]
    const flat = () => [group([-1, -1], 4)]
    const inTime = await pipelineOf({ maxAge: 5 })
    await step(inTime, 0, stored)
    expect(replayedIn((await step(inTime, 5, flat(), 4, 5)).out)).toHaveLength(1)
    const late = await pipelineOf({ maxAge: 5 })
    await step(late, 0, stored)
    expect((await step(late, 6, flat(), 4, 6)).out).toEqual([])
  })

  test('never brings a fault back, nor a rollout that was itself replayed', async () => {
    const pipeline = await pipelineOf({ flat: 'keep' })
    await step(pipeline, 0, [group(['environment_fault', 'unscored', 1])])
    const { out, metrics } = await step(pipeline, 1, [group([1, 1, 'environment_fault'], 1)])
    expect(replayedIn(out)).toEqual([])
    expect(metrics['replay/size']).toBeLessThanOrEqual(2)
    await step(pipeline, 2, [group([-1, 1], 2)])
    const before = (await step(pipeline, 3, [])).metrics['replay/size']
    const mended = (await step(pipeline, 4, [group([1, 1], 4)])).out
    expect(replayedIn(mended)).toHaveLength(1)
    expect((await step(pipeline, 5, mended, 4)).metrics['replay/size']).toBe(before)
  })

  test('does not mend a group with fewer than two members that count', async () => {
    const pipeline = await pipelineOf({ flat: 'keep' })
    await step(pipeline, 0, [group([1, -1])])
    const { out } = await step(pipeline, 1, [group([-1, 'environment_fault'], 1)])
    expect(replayedIn(out)).toEqual([])
  })

  test('refuses the same rollout twice, by content', async () => {
    const pipeline = await pipelineOf({ flat: 'keep' })
    const first = group([1, -1])
    await step(pipeline, 0, [first])
    expect((await step(pipeline, 1, [{ ...first, drawId: 'd99', ordinal: 99 }])).metrics['replay/size']).toBe(2)
  })

  test('keeps to its limits per reward, per task and in all', async () => {
    const many = (count: number, taskId: string) =>
      group(
        new Array(count).fill(1).map((_, index) => index),
        0,
        taskId,
      )
    const perReward = await pipelineOf({ perReward: 2, flat: 'keep' })
    expect((await step(perReward, 0, [group([1, 1, 1, 1, -1])])).metrics['replay/size']).toBe(3)
    const perTask = await pipelineOf({ maxPerTask: 5 })
    expect((await step(perTask, 0, [many(20, 'shop/t1')])).metrics['replay/size']).toBe(5)
    const all = await pipelineOf({ maxTotal: 12, maxPerTask: 8 })
    const groups = ['a', 'b', 'c'].map((name) => many(8, `shop/${name}`))
    expect((await step(all, 0, groups)).metrics['replay/size']).toBe(12)
  })
})

describe('what is remembered', () => {
  test('goes on after a restore as if nothing had happened', async () => {
    const straight = await pipelineOf()
    await step(straight, 0, [group([1, -1, -1], 0), group([1, 1], 0, 'shop/t2')])
    const resumed = await pipelineOf()
    resumed.memory.restore(JSON.parse(JSON.stringify(straight.memory.state())))
    const next = [group([-1, -1, -1], 1), group([-1, -1], 1, 'shop/t2')]
    expect(await step(resumed, 1, next)).toEqual(await step(straight, 1, next))
    expect(JSON.stringify(resumed.memory.state())).toBe(JSON.stringify(straight.memory.state()))
  })

  test('is not changed by later steps once it is handed out', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([1, -1])])
    const state = pipeline.memory.state()
    const before = JSON.stringify(state)
    await step(pipeline, 1, [group([1, -1, -1], 1)])
    expect(JSON.stringify(state)).toBe(before)
  })

  test('begins empty with a run', async () => {
    const pipeline = await pipelineOf()
    await step(pipeline, 0, [group([1, -1])])
    pipeline.memory.restore(null)
    expect((await step(pipeline, 0, [])).metrics['replay/size']).toBe(0)
  })

  test.each([
    ['another shape', { tasks: [] }],
    [
      'a rollout under another task',
      {
        nextOrder: 1,
        tasks: {
          'shop/t9': [],
          'shop/t2': [
            {
              order: 0,
              content: 'x',
              judged: {
                trajectory: { policyVersion: 0, taskId: 'shop/t1', messages: [] },
                reward: 1,
                outcome: { kind: 'scored' },
              },
            },
          ],
        },
      },
    ],
    [
      'a fault among its rollouts',
      {
        nextOrder: 1,
        tasks: {
          'shop/t1': [
            {
              order: 0,
              content: 'x',
              judged: {
                trajectory: { policyVersion: 0, taskId: 'shop/t1', messages: [] },
                reward: 0,
                outcome: { kind: 'environment_fault' },
              },
            },
          ],
        },
      },
    ],
  ])('is refused with %s', async (_what, state) => {
    const pipeline = await pipelineOf()
    expect(() => pipeline.memory.restore({ '@rlenv/groups-replay': state })).toThrow(
      expect.objectContaining({ code: 'RLENV_CHECKPOINT_INVALID' }),
    )
  })
})
