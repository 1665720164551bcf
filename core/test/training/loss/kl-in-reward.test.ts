import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { klInReward } from '../../../src/training/loss/kl-in-reward.ts'
import { trainingSample } from './training-sample.ts'

describe('klInReward', () => {
  test('takes off what an action is further from the reference than the mean', () => {
    // k1: −1 − (−2) = 1, −1 − (−1) = 0 and −1 − (−0.5) = −0.5; mean 0.5 / 3
    const samples = [
      trainingSample({ advantages: [2, 2], old: [-1, -1] }),
      trainingSample({ advantages: [-1], old: [-1] }),
    ]
    const reference = [Float64Array.of(-2, -1), Float64Array.of(-0.5)]
    const { advantages, meanKl } = klInReward(samples, reference, { coefficient: 0.3, estimator: 'k1' })
    expect(meanKl).toBeCloseTo(1 / 6, 12)
    expect(advantages[0]![0]).toBeCloseTo(2 - 0.3 * (1 - 1 / 6), 12)
    expect(advantages[0]![1]).toBeCloseTo(2 + 0.3 / 6, 12)
    expect(advantages[1]![0]).toBeCloseTo(-1 + 0.3 * (0.5 + 1 / 6), 12)
  })

  test.each([
    ['k1', 1],
    ['k2', 0.5],
    ['k3', Math.exp(-1)], // exp(−1) − 1 + 1
  ] as const)('estimates by %s', (estimator, value) => {
    const samples = [trainingSample({ advantages: [0], old: [-1] })]
    const penalty = { coefficient: 1, estimator }
    expect(klInReward(samples, [Float64Array.of(-2)], penalty).meanKl).toBeCloseTo(value, 12)
  })

  test('measures the learner’s weights before the step where they are known, not the sampler’s', () => {
    const samples = [{ ...trainingSample({ advantages: [0], old: [-1] }), oldLogProbs: Float64Array.of(-1.5) }]
    expect(klInReward(samples, [Float64Array.of(-2)], { coefficient: 1, estimator: 'k1' }).meanKl).toBe(0.5)
  })

  test('never looks at masked actions, and nothing trained has no distance', () => {
    const samples = [trainingSample({ advantages: [1, 5], old: [-1, Number.NaN], mask: [1, 0] })]
    const reference = [Float64Array.of(-2, Number.NEGATIVE_INFINITY)]
    const shaped = klInReward(samples, reference, { coefficient: 1, estimator: 'k3' })
    expect([...shaped.advantages[0]!]).toEqual([1, 5])
    const masked = klInReward([trainingSample({ advantages: [1], old: [-1], mask: [0] })], [Float64Array.of(-9)], {
      coefficient: 1,
      estimator: 'k1',
    })
    expect(masked).toEqual({ advantages: [Float64Array.of(1)], meanKl: 0 })
  })

  test('moves the sum of all advantages by nothing', () => {
    const nats = fc.double({ min: -5, max: 0, noNaN: true })
    const row = fc.record({ old: nats, reference: nats, advantage: nats, mask: fc.constantFrom(0, 1) })
    const estimator = fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const)
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 9 }), estimator, (rows, kind) => {
        const samples = rows.map(({ advantage, old, mask }) =>
          trainingSample({ advantages: [advantage], old: [old], mask: [mask] }),
        )
        const reference = rows.map((entry) => Float64Array.of(entry.reference))
        const { advantages } = klInReward(samples, reference, { coefficient: 0.7, estimator: kind })
        const sum = advantages.reduce((total, [value = 0]) => total + value, 0)
        const before = rows.reduce((total, { advantage }) => total + advantage, 0)
        expect(sum).toBeCloseTo(before, 8)
      }),
    )
  })
})
