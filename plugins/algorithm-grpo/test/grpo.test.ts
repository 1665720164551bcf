import { type GrpoOptions, grpo } from '@rlenv/algorithm-grpo'
import { type Algorithm, assemblePipeline, type Plugin, type Trajectory, type TrajectoryGroup, type Turn } from 'rlenv'
import { groupOf, testSlotContext } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

async function algorithmOf(plugin: Plugin): Promise<Algorithm> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [plugin] }])
  return pipeline.slot('algorithm', testSlotContext())
}
const batchOf = async (groups: readonly TrajectoryGroup[], options: GrpoOptions = {}) =>
  (await algorithmOf(grpo(options))).batch(groups)

/** The group with the turns of its first member replaced. */
function withTurns(group: TrajectoryGroup, turns: readonly Turn[], stop?: Trajectory['stopReason']): TrajectoryGroup {
  const [first, ...others] = group.members
  const trajectory = { ...first!.trajectory, turns, ...(stop ? { stopReason: stop } : {}) }
  return { ...group, members: [{ ...first!, trajectory }, ...others] }
}
function turn(index: number, actions: readonly number[], role = 'act', policyVersion = 0): Turn {
  const span = { role, policyVersion, temperature: 1, actions, logProbs: actions.map((action) => -action - 1) }
  return { index, messageIndex: 2 * index + 1, windowStart: 0, span, calls: [], truncated: false }
}
const turns = [turn(0, [3, 1]), turn(1, []), turn(2, [2], 'act', 5)]

describe('grpo', () => {
  test('spreads a member’s advantage over all its actions', async () => {
    // rewards 1, −1: mean 0, population deviation 1
    const { samples, metrics } = await batchOf([groupOf([1, -1], { actions: [4, 2, 7] })], { epsilon: 0 })
    expect(samples.map(({ advantages }) => [...advantages])).toEqual([
      [1, 1, 1],
      [-1, -1, -1],
    ])
    expect(samples.map(({ weights, mask }) => [[...weights], [...mask]])).toEqual([
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
    ])
    expect(metrics).toEqual({ 'advantage/abs_mean': 1, 'reward/non_finite': 0 })
  })

  test.each([
    [{}, Math.sqrt(3)],
    [{ deviation: 'sample' }, 1.5],
    [{ scaleRewards: 'none' }, 0.75],
    [{ scaleRewards: 'none', baseline: 'leave-one-out' }, 1],
  ] as const)('gives the only pass of four under %o the advantage %d', async (options, advantage) => {
    const { samples } = await batchOf([groupOf([1, 0, 0, 0])], { ...options, epsilon: 0 })
    expect(samples[0]?.advantages[0]).toBeCloseTo(advantage, 12)
  })

  test('compares rewards within a draw, not within a task', async () => {
    const { samples } = await batchOf([groupOf([1, 1], { ordinal: 0 }), groupOf([-1, -1], { ordinal: 1 })])
    expect(samples.map(({ advantages }) => advantages[0])).toEqual([0, 0, 0, 0])
  })

  test('a reward of 0 of a faulted member moves nobody', async () => {
    const { samples } = await batchOf([groupOf([1, -1, 'environment_fault'])], { epsilon: 0 })
    expect(samples.map(({ trajectory, advantages }) => [trajectory.id, advantages[0]])).toEqual([
      ['d0/0', 1],
      ['d0/1', -1],
    ])
  })

  test('the policy’s own fault counts as the failure it is', async () => {
    const { samples } = await batchOf([groupOf([1, 'policy_fault'])], { epsilon: 0 })
    expect(samples.map(({ advantages }) => advantages[0])).toEqual([1, -1])
  })

  test('refuses a group of one with the reason', async () => {
    await expect(batchOf([groupOf([1])])).rejects.toMatchObject({ code: 'RLENV_GROUP_TOO_SMALL' })
    expect((await algorithmOf(grpo())).minGroupSize).toBe(2)
  })

  test('joins the turns of a trajectory into one sample, as they were sampled', async () => {
    const { samples } = await batchOf([withTurns(groupOf([1, -1]), turns)])
    expect(samples[0]).toMatchObject({ turns: [0, 2], role: 'act', policyVersion: 0 })
    expect([...samples[0]!.actions]).toEqual([3, 1, 2])
    expect([...samples[0]!.behaviorLogProbs]).toEqual([-4, -2, -3])
  })

  test('gives one sample per turn when told so, each with the version of its turn', async () => {
    const { samples } = await batchOf([withTurns(groupOf([1, -1]), turns)], { samplesPer: 'turn' })
    const own = samples.filter(({ trajectory }) => trajectory.id === 'd0/0')
    expect(own.map((sample) => [sample.turns, [...sample.actions], sample.policyVersion])).toEqual([
      [[0], [3, 1], 0],
      [[2], [2], 5],
    ])
    expect(own[0]?.advantages[0]).toBe(own[1]?.advantages[0])
  })

  test('keeps the roles of a trajectory in samples of their own', async () => {
    const spoken = [turn(0, [1]), turn(1, [2], 'rehearse'), turn(2, [3])]
    const { samples } = await batchOf([withTurns(groupOf([1, -1]), spoken)])
    const own = samples.filter(({ trajectory }) => trajectory.id === 'd0/0')
    expect(own.map(({ role, actions }) => [role, [...actions]])).toEqual([
      ['act', [1, 3]],
      ['rehearse', [2]],
    ])
  })

  test('leaves truncated rollouts out of the loss only when told so, and in the mean either way', async () => {
    const cut = withTurns(groupOf([-1, 1]), turns, { kind: 'truncated', limit: 'turns' })
    const masks = async (maskTruncated: boolean) => {
      const { samples } = await batchOf([cut], { maskTruncated, epsilon: 0 })
      expect(samples.map(({ advantages }) => advantages[0])).toEqual([-1, 1])
      return [...samples[0]!.mask]
    }
    expect(await masks(false)).toEqual([1, 1, 1])
    expect(await masks(true)).toEqual([0, 0, 0])
  })

  test('scales by the whole batch when told so', async () => {
    // rewards 1, −1, 0, 0: population deviation √½; the flat group stays without advantage
    const groups = [groupOf([1, -1]), groupOf([0, 0], { ordinal: 1 })]
    const { samples } = await batchOf(groups, { scaleRewards: 'batch', epsilon: 0 })
    expect(samples[0]?.advantages[0]).toBeCloseTo(Math.SQRT2, 12)
    expect(samples.map(({ advantages }) => advantages[0]).slice(2)).toEqual([0, 0])
  })

  test('counts rewards that are no number, and leaves their members out', async () => {
    const { samples, metrics } = await batchOf([groupOf([1, Number.NaN, -1, Number.NEGATIVE_INFINITY])])
    expect(metrics['reward/non_finite']).toBe(2)
    expect(samples.map(({ trajectory }) => trajectory.id)).toEqual(['d0/0', 'd0/2'])
  })

  test('marks the samples of replayed rollouts', async () => {
    const group = groupOf([1, -1])
    const [first, second] = group.members
    const { samples } = await batchOf([{ ...group, members: [first!, { ...second!, replayed: true }] }])
    expect(samples.map(({ replayed }) => replayed)).toEqual([undefined, true])
  })

  test('asks the training loop for corrections only when it is told to make them', async () => {
    const plain = await algorithmOf(grpo())
    expect(plain.needsLogProbs).toBe(false)
    expect(Object.keys(await plain.batch([]))).toEqual(['samples', 'loss', 'metrics'])
    const options: GrpoOptions = { importanceSampling: { level: 'sequence' }, klInReward: { coefficient: 0.1 } }
    const correcting = await algorithmOf(grpo(options))
    expect(correcting.needsLogProbs).toBe(true)
    expect(await correcting.batch([])).toMatchObject({
      importanceSampling: { level: 'sequence', mode: 'truncate', cap: 2, floor: 0, scope: 'trajectory' },
      klInReward: { coefficient: 0.1, estimator: 'k1' },
    })
  })

  test('hands its loss settings on in the words of the field', async () => {
    const { loss } = await batchOf([], { clip: { high: 0.4 }, dualClip: 3, kl: { coefficient: 0.001 } })
    expect(loss).toMatchObject({
      name: 'grpo',
      aggregation: 'sequence-mean',
      needsReference: true,
      options: { clip: { low: 0.2, high: 0.4 }, dualClip: 3, kl: { coefficient: 0.001, estimator: 'k3' } },
    })
  })

  test.each([
    ['dr-grpo without a length', { aggregation: 'dr-grpo' }, 'constant length'],
    ['a dual clip below 1', { dualClip: 0.5 }, 'dualClip'],
    ['a lower clip of 1', { clip: { low: 1 } }, 'clip.low'],
    ['a lower clip above 1 for cispo too', { objective: 'cispo', clip: { low: 1.5 } }, 'clip.low'],
    ['a dual clip of cispo', { objective: 'cispo', dualClip: 3 }, 'dualClip'],
    ['a floor that nothing looks at', { importanceSampling: { floor: 0.5 } }, 'importanceSampling.floor'],
    ['a floor above the cap', { importanceSampling: { mode: 'mask', cap: 2, floor: 3 } }, 'masks everything'],
    ['a misspelt option', { cilp: {} }, 'cilp'],
  ])('refuses %s', async (_what, options, words) => {
    await expect(algorithmOf(grpo(options as GrpoOptions))).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_OPTIONS',
      message: expect.stringContaining(words),
    })
  })
})
