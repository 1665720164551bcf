import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { batchAdvantages, groupAdvantages } from '../../../src/training/loss/group-advantages.ts'
import { groupStatistics } from '../../../src/training/loss/group-statistics.ts'

interface AdvantageCase {
  readonly rewards: readonly (number | null | 'NaN')[]
  readonly none?: readonly number[]
  readonly std_population?: readonly (number | null)[]
  readonly std_sample?: readonly (number | null)[]
  readonly any?: readonly number[]
  readonly zero_variance?: boolean
}

const fixture = JSON.parse(readFileSync(new URL('./fixtures/advantages.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly AdvantageCase[]
}
const rewardsOf = ({ rewards }: AdvantageCase) => rewards.map((reward) => (reward === 'NaN' ? Number.NaN : reward))

function expectClose(actual: readonly (number | null)[], expected: readonly (number | null)[]): void {
  expect(actual).toHaveLength(expected.length)
  actual.forEach((value, index) => {
    const wanted = expected[index]
    if (wanted === null || wanted === undefined) expect(value).toBeNull()
    else expect(value).toBeCloseTo(wanted, 6)
  })
}

const scales = [
  { key: 'none', options: { scaleRewards: 'none', epsilon: 0 } },
  { key: 'std_population', options: { scaleRewards: 'group', deviation: 'population', epsilon: 0 } },
  { key: 'std_sample', options: { scaleRewards: 'group', deviation: 'sample', epsilon: 0 } },
] as const

describe('groupAdvantages', () => {
  for (const { key, options } of scales) {
    test.each(fixture.cases.filter((entry) => entry[key]))(`gives the hand-worked ${key} of $rewards`, (entry) => {
      expectClose(groupAdvantages(rewardsOf(entry), options), entry[key] ?? [])
    })
    test.each(fixture.cases.filter((entry) => entry.any))(`gives zeros for $rewards under ${key}`, (entry) => {
      expect(groupAdvantages(rewardsOf(entry), options)).toEqual(entry.any)
    })
  }

  test('leaves a NaN or infinite reward out as if its member had faulted', () => {
    const options = { epsilon: 0 }
    const faulted = groupAdvantages([1, null, 0], options)
    expect(groupAdvantages([1, Number.NaN, 0], options)).toEqual(faulted)
    expect(groupAdvantages([1, Number.POSITIVE_INFINITY, 0], options)).toEqual(faulted)
    expect(groupStatistics([1, Number.NaN, 0])).toMatchObject({ counted: 2, nonFinite: 1 })
  })

  test('a fault beside a pass and a failure does not act as a reward of 0', () => {
    // As a zero it would leave mean 0 and deviation 0.816; without it the deviation is exactly 1.
    expect(groupAdvantages([1, -1, null], { epsilon: 0 })).toEqual([1, -1, null])
  })

  test('a group of nothing but faults has no advantages', () => {
    expect(groupAdvantages([null, null])).toEqual([null, null])
  })

  test('refuses a group of one where a peer is required, and says why', () => {
    expect(() => groupAdvantages([1], { minGroupSize: 2 })).toThrow(
      expect.objectContaining({
        code: 'RLENV_GROUP_TOO_SMALL',
        message: expect.stringContaining('a group of 1 rollout has no baseline'),
      }),
    )
  })

  test('a single survivor of a larger group gets 0, not an error', () => {
    expect(groupAdvantages([null, 1, null], { deviation: 'sample', minGroupSize: 2 })).toEqual([null, 0, null])
  })

  test('adds epsilon to the deviation', () => {
    // rewards 1, 1, 0, 0: mean 0.5, population deviation 0.5, epsilon 0.5
    const options = { epsilon: 0.5 }
    expect(groupAdvantages([1, 1, 0, 0], options)).toEqual([0.5, 0.5, -0.5, -0.5])
  })
})

describe('batchAdvantages', () => {
  test('leaves a member out of its own baseline', () => {
    // rewards 1, 0, 0, 0: the peers of the first average 0, those of the others 1/3
    const options = { baseline: 'leave-one-out', scaleRewards: 'none' } as const
    expectClose(groupAdvantages([1, 0, 0, 0], options), [1, -1 / 3, -1 / 3, -1 / 3])
    // with a fault only two peers are left: 1 against 0 and 0, 0 against 1 and 0
    expectClose(groupAdvantages([1, null, 0, 0], options), [1, null, -0.5, -0.5])
  })

  test('divides by the spread of the whole batch when told so', () => {
    // all rewards: 1, −1, 0, 0 (the second group is flat): mean 0, Σ r² = 2, population deviation √½, sample √⅔
    const groups = [
      [1, -1],
      [0, 0],
    ]
    const population = batchAdvantages(groups, { scaleRewards: 'batch', epsilon: 0 })
    expectClose(population[0]!, [Math.SQRT2, -Math.SQRT2])
    expect(population[1]).toEqual([0, 0])
    const sample = batchAdvantages(groups, { scaleRewards: 'batch', deviation: 'sample', epsilon: 0 })
    expectClose(sample[0]!, [Math.sqrt(1.5), -Math.sqrt(1.5)])
  })

  test('a group alone is its own batch', () => {
    const rewards = [1, 0.5, -1]
    expect(groupAdvantages(rewards, { scaleRewards: 'batch' })).toEqual(groupAdvantages(rewards))
  })

  test('groups do not move each other unless the batch scales them', () => {
    const groups = [
      [1, 0, 0],
      [5, null, 3],
    ]
    expect(batchAdvantages(groups)).toEqual(groups.map((rewards) => groupAdvantages(rewards)))
  })

  test.each([1e154, 1e200, 1.7e308])('rewards of ±%d give finite advantages', (size) => {
    for (const scaleRewards of ['group', 'batch'] as const) {
      expectClose(groupAdvantages([size, -size, size, -size], { scaleRewards, epsilon: 0 }), [1, -1, 1, -1])
    }
    const plain = groupAdvantages([size, -size], { scaleRewards: 'none', baseline: 'leave-one-out' })
    expect(plain.every((advantage) => Number.isFinite(advantage))).toBe(true)
    expect(groupStatistics([size, -size])).toMatchObject({ mean: 0, populationDeviation: size, flat: false })
  })

  test('the smallest rewards have a spread as well', () => {
    expectClose(groupAdvantages([1e-300, 0], { epsilon: 0 }), [1, -1])
  })

  test('names the group that is too small', () => {
    expect(() => batchAdvantages([[1, 0], [1]], { minGroupSize: 2 })).toThrow('a group of 1 rollout has no baseline')
  })
})

const reward = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const member = fc.oneof(reward, fc.constant(null), fc.constant(Number.NaN))
const options = fc.record({
  baseline: fc.constantFrom('mean' as const, 'leave-one-out' as const),
  scaleRewards: fc.constantFrom('group' as const, 'batch' as const, 'none' as const),
  deviation: fc.constantFrom('population' as const, 'sample' as const),
  epsilon: fc.constantFrom(0, 1e-6),
})

describe('groupAdvantages for any group', () => {
  test('no finite reward gives an advantage that is not finite', () => {
    const any = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 12 })
    fc.assert(
      fc.property(any, options, (rewards, settings) => {
        expect(groupAdvantages(rewards, settings).every((value) => Number.isFinite(value))).toBe(true)
      }),
    )
  })

  test('sums to zero and stays finite', () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 32 }), options, (rewards, settings) => {
        const advantages = groupAdvantages(rewards, settings).filter((value) => value !== null)
        expect(advantages.every(Number.isFinite)).toBe(true)
        const largest = Math.max(1, ...advantages.map(Math.abs))
        expect(Math.abs(advantages.reduce((total, value) => total + value, 0)) / largest).toBeLessThan(1e-9)
      }),
    )
  })

  test('shifting and scaling rewards leaves normalised advantages alone', () => {
    const grid = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 2, maxLength: 16 })
    fc.assert(
      fc.property(grid, fc.integer({ min: -9, max: 9 }), fc.double({ min: 0.01, max: 1e8, noNaN: true }), (r, b, a) => {
        const options = { epsilon: 0 }
        const moved = r.map((value) => value * a + b * a)
        expectClose(groupAdvantages(moved, options), groupAdvantages(r, options))
      }),
    )
  })

  test('faults injected into any members leave the others at the estimate of the smaller group', () => {
    const faults = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 })
    fc.assert(
      fc.property(fc.array(reward, { minLength: 2, maxLength: 24 }), faults, options, (rewards, hit, settings) => {
        const faulted = rewards.map((value, index) => (hit[index] ? null : value))
        const survivors = rewards.filter((_, index) => !hit[index])
        const remaining = groupAdvantages(faulted, settings).filter((value) => value !== null)
        expect(remaining).toEqual(groupAdvantages(survivors, settings))
      }),
    )
  })

  test('equal rewards of any size are flat', () => {
    const size = fc.integer({ min: 1, max: 64 })
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), size, options, (value, count, settings) => {
        const rewards = new Array(count).fill(value)
        expect(groupStatistics(rewards).flat).toBe(true)
        expect(groupAdvantages(rewards, settings).every((advantage) => advantage === 0)).toBe(true)
      }),
    )
  })
})
