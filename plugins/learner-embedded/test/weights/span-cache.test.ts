import fc from 'fast-check'
import type { ActionSpan } from 'rlenv'
import { expect, test } from 'vitest'
import { CandidateBuffer } from '../../src/decisions/candidate-buffer.ts'
import { FeatureSpace } from '../../src/weights/feature-hash.ts'
import { type PackedSpan, packedBytes, SpanRecorder } from '../../src/weights/packed-span.ts'
import { SpanCache } from '../../src/weights/span-cache.ts'

const spanOf = (): ActionSpan => ({ role: 'act', policyVersion: 0, temperature: 1, actions: [], logProbs: [] })

/** Per span its decisions, per decision its candidates, per candidate how many features it has. */
const spans = fc.array(fc.array(fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }), { maxLength: 4 }), {
  maxLength: 60,
})

test('what was packed stays as it was, however much is packed after it', () => {
  fc.assert(
    fc.property(spans, (all) => {
      const recorder = new SpanRecorder()
      const buffer = new CandidateBuffer(new FeatureSpace(2 ** 12))
      const expected: number[][][][] = []
      const packed: PackedSpan[] = []
      let value = 0
      for (const decisions of all) {
        recorder.reset()
        const written = decisions.map((sizes) => {
          buffer.reset()
          for (const size of sizes) {
            buffer.open()
            for (let i = 0; i < size; i++) buffer.relational(1, value++)
          }
          recorder.add(buffer)
          const { starts, features } = buffer
          return sizes.map((_, candidate) => [...features.slice(starts[candidate], starts[candidate + 1])])
        })
        expected.push(written)
        packed.push(recorder.pack())
      }
      expect(packed.map(unpacked)).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

function unpacked({ features, starts, firsts }: PackedSpan): number[][][] {
  return Array.from({ length: firsts.length - 1 }, (_, decision) => {
    const [from = 0, to = 0] = [firsts[decision], firsts[decision + 1]]
    return Array.from({ length: to - from }, (_unused, candidate) => [
      ...features.subarray(starts[from + candidate], starts[from + candidate + 1]),
    ])
  })
}

test('forgets the oldest spans beyond its limit, and only these', () => {
  const packed = { features: new Int32Array(20), starts: new Int32Array(3), firsts: new Int32Array(2) }
  const room = 5
  const cache = new SpanCache(room * packedBytes(packed))
  const kept = Array.from({ length: 200 }, spanOf)
  for (const [i, span] of kept.entries()) {
    cache.set(span, packed)
    const held = kept.slice(0, i + 1).filter((one) => cache.get(one) !== undefined)
    expect(held).toEqual(kept.slice(Math.max(0, i + 1 - room), i + 1))
  }
  cache.clear()
  expect(kept.some((span) => cache.get(span) !== undefined)).toBe(false)
})
