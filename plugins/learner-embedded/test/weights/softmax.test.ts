import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CandidateBuffer } from '../../src/decisions/candidate-buffer.ts'
import { FixedFeatures } from '../../src/weights/fixed-features.ts'
import { Model } from '../../src/weights/model.ts'
import { Softmax } from '../../src/weights/softmax.ts'

const size = 2 ** 10

const candidates = fc.array(
  fc.record({
    fixed: fc.option(fc.array(fc.nat(size - 1), { maxLength: 30 })),
    own: fc.array(fc.nat(500), { maxLength: 30 }),
  }),
  { minLength: 2, maxLength: 300 },
)

function modelOf(seed: number): Model {
  const model = new Model(size, 1)
  for (let i = 0; i < size; i++) model.weights[i] = Math.sin(seed + i * 0.7) * 3
  model.publish()
  return model
}

test('scores candidates to the same bits, whether their fixed features were summed before or not', () => {
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 1000 }), (all, seed) => {
      const model = modelOf(seed)
      const buffer = new CandidateBuffer(model.space)
      for (const { fixed, own } of all) {
        buffer.open(fixed === null ? null : new FixedFeatures(Int32Array.from(fixed)))
        for (const value of own) buffer.lexical(1, value)
      }
      const [plain, once, again] = [new Softmax(), new Softmax(), new Softmax()]
      plain.score(model.published, buffer.features, buffer.starts, 0, buffer.count, 0.7)
      once.scoreBuffer(model.published, model.revision, buffer, 0.7)
      again.scoreBuffer(model.published, model.revision, buffer, 0.7)
      for (const { logits, probabilities, logNormalizer } of [once, again]) {
        expect([...logits.subarray(0, all.length)]).toEqual([...plain.logits.subarray(0, all.length)])
        expect([...probabilities.subarray(0, all.length)]).toEqual([...plain.probabilities.subarray(0, all.length)])
        expect(logNormalizer).toBe(plain.logNormalizer)
      }
    }),
  )
})

test('sums fixed features anew when other weights are published, also under the same version', () => {
  const model = modelOf(1)
  const fixed = new FixedFeatures(Int32Array.of(1, 2, 3))
  const first = fixed.sum(model.published, model.revision)
  model.published.fill(1)
  model.republished(model.policyVersion)
  expect(first).not.toBe(3)
  expect(fixed.sum(model.published, model.revision)).toBe(3)
})
