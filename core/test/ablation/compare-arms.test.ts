import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareArms } from '../../src/ablation/compare-arms.ts'
import { resultOf } from './results.ts'

const options = { confidence: 0.95, seed: 1 }

function differenceOf(results: Parameters<typeof compareArms>[1]) {
  const [, second] = compareArms(['base', 'other'], results, options)
  return second?.success['held-out sampled']?.difference ?? null
}

describe('compareArms', () => {
  test('gives each arm its mean and spread over seeds, and no difference to the first', () => {
    const [base] = compareArms(
      ['base'],
      [resultOf('base', 0, { a: 0.2, b: 0.4 }), resultOf('base', 1, { a: 0.4, b: 0.6 })],
      options,
    )
    const success = base?.success['held-out sampled']
    expect(success?.mean).toBeCloseTo(0.4, 12)
    expect(success?.spread).toBeCloseTo(Math.SQRT2 * 0.1, 12)
    expect(success?.difference).toBeNull()
  })

  test('pairs by environment and seed: a constant gain has an interval without width', () => {
    const rates = [
      { a: 0.1, b: 0.5, c: 0.9 },
      { a: 0.2, b: 0.3, c: 0.7 },
    ]
    const results = rates.flatMap((rate, replicate) => [
      resultOf('base', replicate, rate),
      resultOf(
        'other',
        replicate,
        Object.fromEntries(Object.entries(rate).map(([name, value]) => [name, value + 0.1])),
      ),
    ])
    const difference = differenceOf(results)
    expect(difference?.mean).toBeCloseTo(0.1, 12)
    expect(difference?.interval?.low).toBeCloseTo(0.1, 12)
    expect(difference?.interval?.high).toBeCloseTo(0.1, 12)
  })

  test('an interval is wide when environments disagree, and the effect says by how much', () => {
    const difference = differenceOf([
      resultOf('base', 0, { a: 0.5, b: 0.5, c: 0.5, d: 0.5 }),
      resultOf('other', 0, { a: 0.9, b: 0.1, c: 0.8, d: 0.4 }),
    ])
    expect(difference?.interval?.low).toBeLessThan(0)
    expect(difference?.interval?.high).toBeGreaterThan(0)
    // Differences 0.4, -0.4, 0.3, -0.1: mean 0.05, sample deviation 0.3697.
    expect(difference?.effect).toBeCloseTo(0.05 / 0.36968455, 6)
  })

  test('one environment says nothing about the next, so there is no interval', () => {
    const difference = differenceOf([resultOf('base', 0, { a: 0.5 }), resultOf('other', 0, { a: 0.7 })])
    expect(difference).toMatchObject({ interval: null, effect: null, detectable: null })
  })

  test('compares only seeds that both arms have finished', () => {
    const difference = differenceOf([
      resultOf('base', 0, { a: 0.5, b: 0.5 }),
      resultOf('other', 0, { a: 0.6, b: 0.6 }),
      resultOf('other', 1, { a: 0, b: 0 }),
    ])
    expect(difference?.mean).toBeCloseTo(0.1, 12)
  })

  test('says nothing of an arm without results, or of an evaluation that was not made', () => {
    const [, other] = compareArms(['base', 'other'], [resultOf('base', 0, { a: 0.5 })], options)
    expect(other).toMatchObject({ runs: 0, success: { 'held-out sampled': null, 'held-out greedy': null } })
  })

  test('equal arms differ by nothing, whatever their results, and intervals hold their mean', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true })
    const rates = fc.array(fc.tuple(rate, rate), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(rates, (pairs) => {
        const named = (index: 0 | 1) => Object.fromEntries(pairs.map((pair, at) => [`e${at}`, pair[index]]))
        const same = differenceOf([resultOf('base', 0, named(0)), resultOf('other', 0, named(0))])
        expect(same).toMatchObject({ mean: 0, interval: { low: 0, high: 0 } })
        const other = differenceOf([resultOf('base', 0, named(0)), resultOf('other', 0, named(1))])
        expect(other?.interval?.low).toBeLessThanOrEqual((other?.mean ?? 0) + 1e-9)
        expect(other?.interval?.high).toBeGreaterThanOrEqual((other?.mean ?? 0) - 1e-9)
      }),
      { numRuns: 20 },
    )
  })
})
