import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, contentHash } from '../../src/determinism/content-hash.ts'

/** The definition: JSON.stringify of a copy whose objects were made in the order of their keys. */
function byDefinition(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}

const anything = fc.anything({
  key: fc.oneof(fc.string(), fc.constantFrom('1', '10', '2', '-1', '01', 'id', 'é', '__proto__', 'toJSON')),
  withDate: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withMap: true,
  withSet: true,
  values: [
    fc.boolean(),
    fc.integer(),
    fc.double(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, undefined, -0, Number.NaN, 1e21, 1e-7, '\u2028', '\ud800', '"\\\n'),
  ],
})

describe('canonicalJson', () => {
  test('is JSON.stringify of a copy with sorted keys, whatever it is given', () => {
    fc.assert(
      fc.property(anything, (value) => {
        let expected: string | Error
        try {
          expected = byDefinition(value)
        } catch {
          expect(() => canonicalJson(value)).toThrow()
          return
        }
        expect(canonicalJson(value)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('gives equal objects equal text, in whatever order their keys came', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 'x' }], a: null })).toBe('{"a":null,"b":[1,{"c":"x","d":1}]}')
    expect(canonicalJson({ b: 1, a: 2 })).toBe(canonicalJson({ a: 2, b: 1 }))
  })

  test('refuses what JSON has no words for', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(() => canonicalJson(circle)).toThrow()
    expect(() => canonicalJson({ big: 1n })).toThrow(/BigInt/)
  })
})

describe('contentHash', () => {
  test('is sha-256 of text, of bytes, and of canonical JSON', () => {
    const sha = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
    expect(contentHash('grüße')).toBe(sha('grüße'))
    expect(contentHash(new Uint8Array([1, 2, 255]))).toBe(sha(new Uint8Array([1, 2, 255])))
    expect(contentHash({ b: 1, a: [] })).toBe(sha('{"a":[],"b":1}'))
  })
})
