import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupAdvantages } from '../../../src/training/loss/group-advantages.ts'
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

const normalizations = [
  { normalize: 'none', key: 'none' },
  { normalize: 'std-population', key: 'std_population' },
  { normalize: 'std-sample', key: 'std_sample' },
] as const

describe('groupAdvantages', () => {
  for (const { normalize, key } of normalizations) {
    test.each(fixture.cases.filter((entry) => entry[key]))(`gives the hand-worked ${key} of $rewards`, (entry) => {
      expectClose(groupAdvantages(rewardsOf(entry), { normalize, epsilon: 0 }), entry[key] ?? [])
    })
    test.each(fixture.cases.filter((entry) => entry.any))(`gives zeros for $rewards under ${key}`, (entry) => {
      expect(groupAdvantages(rewardsOf(entry), { normalize, epsilon: 0 })).toEqual(entry.any)
    })
  }

  test('leaves a NaN or infinite reward out as if its member had faulted', () => {
    const options = { normalize: 'std-population', epsilon: 0 } as const
    const faulted = groupAdvantages([1, null, 0], options)
    expect(groupAdvantages([1, Number.NaN, 0], options)).toEqual(faulted)
    expect(groupAdvantages([1, Number.POSITIVE_INFINITY, 0], options)).toEqual(faulted)
    expect(groupStatistics([1, Number.NaN, 0])).toMatchObject({ counted: 2, nonFinite: 1 })
  })

  test('a fault beside a pass and a failure does not act as a reward of 0', () => {
    // As a zero it would leave mean 0 and deviation 0.816; without it the deviation is exactly 1.
    expect(groupAdvantages([1, -1, null], { normalize: 'std-population', epsilon: 0 })).toEqual([1, -1, null])
  })

  test('a group of nothing but faults has no advantages', () => {
    expect(groupAdvantages([null, null], { normalize: 'none' })).toEqual([null, null])
  })

  test('refuses a group of one where a peer is required, and says why', () => {
    expect(() => groupAdvantages([1], { normalize: 'none', minGroupSize: 2 })).toThrow(
      expect.objectContaining({
        code: 'RLENV_GROUP_TOO_SMALL',
        message: expect.stringContaining('a group of 1 rollout has no baseline'),
      }),
    )
  })

  test('a single survivor of a larger group gets 0, not an error', () => {
    expect(groupAdvantages([null, 1, null], { normalize: 'std-sample', minGroupSize: 2 })).toEqual([null, 0, null])
  })

  test('adds epsilon to the deviation', () => {
    // rewards 1, 1, 0, 0: mean 0.5, population deviation 0.5, epsilon 0.5
    const options = { normalize: 'std-population', epsilon: 0.5 } as const
    expect(groupAdvantages([1, 1, 0, 0], options)).toEqual([0.5, 0.5, -0.5, -0.5])
  })
})

const reward = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const member = fc.oneof(reward, fc.constant(null), fc.constant(Number.NaN))
const normalization = fc.constantFrom('none' as const, 'std-population' as const, 'std-sample' as const)

describe('groupAdvantages for any group', () => {
  test('sums to zero and stays finite', () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 32 }), normalization, (rewards, normalize) => {
        const advantages = groupAdvantages(rewards, { normalize, epsilon: 0 }).filter((value) => value !== null)
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
        const options = { normalize: 'std-population', epsilon: 0 } as const
        const moved = r.map((value) => value * a + b * a)
        expectClose(groupAdvantages(moved, options), groupAdvantages(r, options))
      }),
    )
  })

  test('faults injected into any members leave the others at the estimate of the smaller group', () => {
    const faults = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 })
    fc.assert(
      fc.property(
        fc.array(reward, { minLength: 2, maxLength: 24 }),
        faults,
        normalization,
        (rewards, hit, normalize) => {
          const faulted = rewards.map((value, index) => (hit[index] ? null : value))
          const survivors = rewards.filter((_, index) => !hit[index])
          const remaining = groupAdvantages(faulted, { normalize }).filter((value) => value !== null)
          expect(remaining).toEqual(groupAdvantages(survivors, { normalize }))
        },
      ),
    )
  })

  test('equal rewards of any size are flat', () => {
    const size = fc.integer({ min: 1, max: 64 })
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        size,
        normalization,
        (value, count, normalize) => {
          const rewards = new Array(count).fill(value)
          expect(groupStatistics(rewards).flat).toBe(true)
          expect(groupAdvantages(rewards, { normalize, epsilon: 0 }).every((advantage) => advantage === 0)).toBe(true)
        },
      ),
    )
  })
})
