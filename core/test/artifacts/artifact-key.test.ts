import { describe, expect, test } from 'vitest'
import { artifactKey, type Producer } from '../../src/artifacts/artifact-key.ts'

const plugin = { name: 'miner', version: '1.0.0', options: { rows: 40, words: ['a', 'b'] } }
const producer: Producer = { stage: 'database', plugins: [plugin], options: { maxAttempts: 5 }, seed: 7 }
const key = (changed: Partial<Producer> = {}, inputs: readonly string[] = ['one', 'two']) =>
  artifactKey({ ...producer, ...changed }, inputs)

describe('artifactKey', () => {
  test('is a sha-256 in hex and equal for equal producers', () => {
    expect(key()).toMatch(/^[0-9a-f]{64}$/)
    expect(key({ plugins: [structuredClone(plugin)] })).toBe(key())
  })

  test('does not depend on the order of keys in options', () => {
    expect(key({ plugins: [{ ...plugin, options: { words: ['a', 'b'], rows: 40 } }] })).toBe(key())
  })

  test.each<[string, () => string]>([
    ['the stage', () => key({ stage: 'tools' })],
    ['the seed', () => key({ seed: 8 })],
    ["the stage's options", () => key({ options: { maxAttempts: 4 } })],
    ["a plugin's name", () => key({ plugins: [{ ...plugin, name: 'other' }] })],
    ["a plugin's version", () => key({ plugins: [{ ...plugin, version: '1.0.1' }] })],
    ["a plugin's options", () => key({ plugins: [{ ...plugin, options: { ...plugin.options, rows: 41 } }] })],
    ['a further plugin', () => key({ plugins: [plugin, { ...plugin, name: 'noise' }] })],
    ['an input', () => key({}, ['one', 'three'])],
    ['a further input', () => key({}, ['one', 'two', 'three'])],
    ['the order of inputs', () => key({}, ['two', 'one'])],
  ])('changes with %s', (_what, changed) => {
    expect(changed()).not.toBe(key())
  })

  test.each<[string, unknown, unknown]>([
    ['a function', (n: number) => n + 1, (n: number) => n + 2],
    ['a regular expression', /a/, /a/i],
    ['a big integer', 1n, 2n],
    ['a date', new Date(0), new Date(1)],
    ['a map', new Map([['a', 1]]), new Map([['a', 2]])],
    ['a set', new Set(['a']), new Set(['b'])],
    ['an absent value', null, 0],
  ])('sees %s inside options', (_what, one, other) => {
    const withOption = (value: unknown) => key({ plugins: [{ ...plugin, options: { value } }] })
    expect(withOption(one)).not.toBe(withOption(other))
  })
})
