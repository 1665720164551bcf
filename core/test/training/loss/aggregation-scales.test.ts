import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregationScales, trainedActions } from '../../../src/training/loss/aggregation-scales.ts'
import { policyLoss } from '../../../src/training/loss/policy-loss.ts'
import type { Aggregation } from '../../../src/vocabulary/training-sample.ts'
import { lossFixture } from './loss-fixture.ts'
import { trainingSample } from './training-sample.ts'

const clip = { low: 0.2, high: 0.28 }

/** Loss of whole sequences whose new log-probabilities are given. */
function lossOf(
  sequences: readonly { A: number; new: readonly number[]; old: readonly number[]; mask: readonly number[] }[],
  aggregation: Aggregation,
  drGrpoLength = 8,
): number {
  const samples = sequences.map(({ A, old, mask }) => trainingSample({ advantages: old.map(() => A), old, mask }))
  const scales = aggregationScales(samples, aggregation, { drGrpoLength })
  const loss = policyLoss({ aggregation, drGrpoLength, clip })
  return samples.reduce((total, sample, index) => {
    const logProbs = Float64Array.from(sequences[index]!.new)
    return total + loss.evaluate({ sample, logProbs, scales: scales[index]! }).loss
  }, 0)
}

describe('aggregationScales', () => {
  test('three ways to average give three objectives', () => {
    const { sequences, expect: wanted } = lossFixture.averages
    expect(lossOf(sequences, 'token-mean')).toBeCloseTo(wanted.token_mean, 12)
    expect(lossOf(sequences, 'sequence-mean')).toBeCloseTo(wanted.sequence_mean, 12)
    expect(lossOf(sequences, 'dr-grpo')).toBeCloseTo(wanted.constant_8, 12)
  })

  test('with every action masked the loss is 0 and finite', () => {
    const { sequences } = lossFixture.allMasked
    for (const aggregation of ['token-mean', 'sequence-mean', 'dr-grpo'] as const) {
      expect(lossOf(sequences, aggregation)).toBe(0)
    }
  })

  test('a fully masked sequence does not dilute the others', () => {
    const trained = trainingSample({ advantages: [1, 1], old: [-1, -1] })
    const masked = trainingSample({ advantages: [1, 1], old: [-1, -1], mask: [0, 0] })
    expect(aggregationScales([trained, masked], 'sequence-mean')).toEqual([
      Float64Array.of(0.5, 0.5),
      Float64Array.of(0, 0),
    ])
  })

  test('dr-grpo without its constant length is refused', () => {
    expect(() => aggregationScales([trainingSample({ advantages: [1], old: [-1] })], 'dr-grpo')).toThrow(
      expect.objectContaining({ code: 'RLENV_CONFIG_INVALID' }),
    )
  })
})

const masks = fc.array(fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 9 })
const sampleOf = (mask: readonly number[]) => trainingSample({ advantages: mask.map(() => 1), old: mask, mask })

describe('aggregationScales for any masks', () => {
  test('token-mean and sequence-mean weights sum to 1 unless nothing is trained', () => {
    fc.assert(
      fc.property(masks, fc.constantFrom('token-mean' as const, 'sequence-mean' as const), (rows, aggregation) => {
        const samples = rows.map(sampleOf)
        const total = aggregationScales(samples, aggregation)
          .flatMap((scales) => [...scales])
          .reduce((sum, scale) => sum + scale, 0)
        const trained = samples.reduce((sum, sample) => sum + trainedActions(sample), 0)
        expect(total).toBeCloseTo(trained === 0 ? 0 : 1, 12)
      }),
    )
  })

  test('masked actions have scale 0 and trained ones do not', () => {
    fc.assert(
      fc.property(masks, (rows) => {
        aggregationScales(rows.map(sampleOf), 'dr-grpo', { drGrpoLength: 9 }).forEach((scales, index) => {
          expect([...scales].map((scale) => (scale > 0 ? 1 : 0))).toEqual(rows[index])
        })
      }),
    )
  })
})
