import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CandidateBuffer, pack } from '../../src/decisions/candidate-buffer.ts'
import { FeatureSpace, mixUnordered } from '../../src/weights/feature-hash.ts'
import { FixedFeatures } from '../../src/weights/fixed-features.ts'
import { initialWeights } from '../../src/weights/initial-weights.ts'

const space = new FeatureSpace(2 ** 12)

test('keeps relational and lexical features in their halves', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (feature, value) => {
      const relational = space.relational(feature, value)
      const lexical = space.lexical(feature, value)
      return relational >= 0 && relational < 2 ** 11 && lexical >= 2 ** 11 && lexical < 2 ** 12
    }),
  )
})

test('does not tell the two orders of an unordered pair apart', () => {
  fc.assert(fc.property(fc.integer(), fc.integer(), (a, b) => mixUnordered(a, b) === mixUnordered(b, a)))
})

test('packs buckets below 8 without overlap', () => {
  const bucket = fc.integer({ min: 0, max: 7 })
  const buckets = fc.tuple(bucket, bucket, bucket, bucket)
  fc.assert(
    fc.property(buckets, buckets, (left, right) => {
      return (pack(...left) === pack(...right)) === (left.join() === right.join())
    }),
  )
})

test('starts with relational preferences only, in proportion to the scale', () => {
  const single = initialWeights(new FeatureSpace(2 ** 18), 1)
  const double = initialWeights(new FeatureSpace(2 ** 18), 2)
  expect(single.subarray(2 ** 17).every((weight) => weight === 0)).toBe(true)
  expect(single.some((weight) => weight !== 0)).toBe(true)
  expect(double.every((weight, i) => Math.abs(weight - 2 * (single[i] as number)) < 1e-12)).toBe(true)
  expect(initialWeights(new FeatureSpace(2 ** 18), 0).every((weight) => weight === 0)).toBe(true)
})

test('grows with its candidates', () => {
  const buffer = new CandidateBuffer(space)
  for (let candidate = 0; candidate < 600; candidate++) {
    buffer.open(new FixedFeatures(Int32Array.of(1, 2, 3)))
    for (let i = 0; i < 100; i++) buffer.relational(candidate, i)
  }
  expect(buffer.count).toBe(600)
  expect(buffer.length).toBe(600 * 103)
  expect(buffer.starts[600]).toBe(buffer.length)
  expect([...buffer.features.subarray(599 * 103, 599 * 103 + 3)]).toEqual([1, 2, 3])
})
