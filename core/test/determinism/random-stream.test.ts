import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'

test('a stream starts from the first four little-endian words of the sha-256 of its name', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), (seed, names) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([String(seed), ...names]))
        .digest()
      const words = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at))
      const started = RandomStream.of(seed, ...names).state()
      expect(started).toEqual([words[0], words[1], words[2], (words[3] ?? 0) | 1])
    }),
  )
})

test('the numbers of a stream are the same on every machine and in every version', () => {
  const stream = RandomStream.of(7, 'a', 1)
  expect([stream.uint32(), stream.uint32(), stream.int(100), stream.fork('b').uint32()]).toMatchInlineSnapshot(`
    [
      3197033236,
      3491016029,
      87,
      2254864629,
    ]
  `)
})
