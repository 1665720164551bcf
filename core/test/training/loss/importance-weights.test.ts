import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importanceWeights, type WeighedSample } from '../../../src/training/loss/importance-weights.ts'
import type { ImportanceSampling } from '../../../src/vocabulary/training-sample.ts'
import { trainingSample } from './training-sample.ts'

const token: ImportanceSampling = { level: 'token', mode: 'truncate', cap: 2, floor: 0, scope: 'trajectory' }

/** Actions by their ratio old / behaviour, part of the trajectory `id`. */
function rated(ratios: readonly number[], parts: { id?: string; turns?: readonly number[]; mask?: number[] } = {}) {
  const { id = 'd0/0', turns = [0], mask = ratios.map(() => 1) } = parts
  const sample = trainingSample({ advantages: ratios.map(() => 1), old: ratios.map(() => -1), mask })
  return {
    sample: { ...sample, trajectory: { ...sample.trajectory, id }, turns } satisfies WeighedSample,
    old: Float64Array.from(ratios, (ratio) => -1 + Math.log(ratio)),
  }
}
type Rated = ReturnType<typeof rated>

const weigh = (rows: readonly Rated[], options: ImportanceSampling) =>
  importanceWeights(
    rows.map(({ sample }) => sample),
    rows.map(({ old }) => old),
    options,
  )
const weightsOf = (rows: readonly Rated[], options: ImportanceSampling) =>
  weigh(rows, options).map(({ weights }) => [...weights].map((weight) => Number(weight.toFixed(12))))
const cutsOf = (rows: readonly Rated[], options: ImportanceSampling) => weigh(rows, options).map(({ cut }) => [...cut])

describe('importanceWeights', () => {
  // Ratios 0.5, 1, 1.5, 3 against a cap of 2.
  const row = rated([0.5, 1, 1.5, 3])

  test('per action, above the cap the weight is the cap, and this is told', () => {
    expect(weightsOf([row], token)).toEqual([[0.5, 1, 1.5, 2]])
    expect(cutsOf([row], token)).toEqual([[0, 0, 0, 1]])
  })

  test('masks instead of truncating, on both sides when there is a floor', () => {
    expect(weightsOf([row], { ...token, mode: 'mask' })).toEqual([[0.5, 1, 1.5, 0]])
    expect(weightsOf([row], { ...token, mode: 'mask', floor: 0.6 })).toEqual([[0, 1, 1.5, 0]])
    expect(cutsOf([row], { ...token, mode: 'mask', floor: 0.6 })).toEqual([[1, 0, 0, 1]])
  })

  test('per sequence the weight is the product of the ratios', () => {
    // 0.5 · 1 · 1.5 · 3 = 2.25, above 2 and below 5
    expect(weightsOf([row], { ...token, level: 'sequence' })).toEqual([[2, 2, 2, 2]])
    expect(weightsOf([row], { ...token, level: 'sequence', cap: 5 })).toEqual([[2.25, 2.25, 2.25, 2.25]])
    expect(weightsOf([row], { ...token, level: 'sequence', mode: 'mask' })).toEqual([[0, 0, 0, 0]])
  })

  test('on the geometric level it is the root of that product', () => {
    // 2.25^(1/4) = √1.5
    const root = Number(Math.sqrt(1.5).toFixed(12))
    expect(weightsOf([row], { ...token, level: 'geometric' })).toEqual([[root, root, root, root]])
  })

  test('a trajectory that is cut into turns keeps the weight of the whole, unless a sequence is one sample', () => {
    const turns = [rated([0.5, 1], { turns: [0] }), rated([1.5, 3], { turns: [1] }), rated([3], { id: 'd0/1' })]
    const sequence = { ...token, level: 'sequence', cap: 5 } as const
    expect(weightsOf(turns, sequence)).toEqual([[2.25, 2.25], [2.25, 2.25], [3]])
    expect(weightsOf(turns, { ...sequence, scope: 'sample' })).toEqual([[0.5, 0.5], [4.5, 4.5], [3]])
  })

  test('a trajectory that was put into two groups is not multiplied by itself', () => {
    const sequence = { ...token, level: 'sequence', cap: 9 } as const
    expect(weightsOf([rated([1.5]), rated([1.5])], sequence)).toEqual([[1.5], [1.5]])
  })

  test('masked actions are never looked at', () => {
    const masked = rated([0.5, Number.NaN, 3, 0], { mask: [1, 0, 1, 0] })
    expect(weightsOf([masked], { ...token, level: 'sequence' })).toEqual([[1.5, 1, 1.5, 1]])
    expect(weightsOf([masked], token)).toEqual([[0.5, 1, 2, 1]])
  })

  test('a ratio beyond all numbers is cut, not infinite', () => {
    const old = [Float64Array.of(0)]
    const sample = trainingSample({ advantages: [1], old: [-2000] })
    for (const level of ['token', 'sequence', 'geometric'] as const) {
      expect(importanceWeights([sample], old, { ...token, level })[0]?.weights[0]).toBe(2)
      expect(importanceWeights([sample], old, { ...token, level, mode: 'mask' })[0]?.weights[0]).toBe(0)
    }
  })
})

const settings: fc.Arbitrary<ImportanceSampling> = fc.record({
  level: fc.constantFrom('token' as const, 'sequence' as const, 'geometric' as const),
  mode: fc.constantFrom('truncate' as const, 'mask' as const),
  cap: fc.double({ min: 0.5, max: 5, noNaN: true }),
  floor: fc.constantFrom(0, 0.25),
  scope: fc.constantFrom('trajectory' as const, 'sample' as const),
})
const rows = fc.array(
  fc.record({
    ratios: fc.array(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 5 }),
    trajectory: fc.nat(2),
  }),
  { minLength: 1, maxLength: 6 },
)

describe('importanceWeights for any batch', () => {
  test('lie between 0 and the cap', () => {
    fc.assert(
      fc.property(rows, settings, (batch, options) => {
        const parts = batch.map(({ ratios, trajectory }, turn) =>
          rated(ratios, { id: `d${trajectory}`, turns: [turn] }),
        )
        for (const { weights } of weigh(parts, options)) {
          for (const weight of weights) {
            expect(weight).toBeGreaterThanOrEqual(0)
            expect(weight).toBeLessThanOrEqual(options.cap)
          }
        }
      }),
    )
  })

  test('are 1 where learner and sampler agree', () => {
    fc.assert(
      fc.property(rows, settings, (batch, options) => {
        fc.pre(options.cap >= 1)
        const same = batch.map(({ ratios, trajectory }, turn) =>
          rated(
            ratios.map(() => 1),
            { id: `d${trajectory}`, turns: [turn] },
          ),
        )
        for (const { weights, cut } of weigh(same, options)) {
          expect([...weights].every((weight) => weight === 1)).toBe(true)
          expect([...cut].every((bit) => bit === 0)).toBe(true)
        }
      }),
    )
  })

  test('do not depend on how a trajectory is cut into samples', () => {
    const ratios = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(ratios, fc.nat(), settings, (all, at, chosen) => {
        // Truncation alone, because sums of another order differ in their last bits and a mask is no smooth function.
        const options = { ...chosen, mode: 'truncate', scope: 'trajectory' } as const
        const cut = 1 + (at % (all.length - 1))
        const whole = weightsOf([rated(all, { turns: [0, 1] })], options)[0] ?? []
        const parts = weightsOf([rated(all.slice(0, cut)), rated(all.slice(cut), { turns: [1] })], options).flat()
        expect(parts).toHaveLength(whole.length)
        for (const [t, weight] of parts.entries()) expect(weight).toBeCloseTo(whole[t] ?? Number.NaN, 9)
      }),
    )
  })
})
