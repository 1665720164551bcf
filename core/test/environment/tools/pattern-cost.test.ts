import { describe, expect, test } from 'vitest'
import { ArgumentValidator } from '../../../src/environment/tools/argument-validator.ts'
import { patternCost } from '../../../src/environment/tools/pattern-cost.ts'

/** Texts that make a matcher try every way before it fails. */
const provocations = ['a', 'aa', 'ab', '-', 'a-', '1', ' ', '\t', 'x,', '@a.', 'é']

describe('patternCost', () => {
  test.each([
    '^(a+)+$',
    '(x+x+)+y',
    '^(a|a)*$',
    '^(a|ab)*$',
    '^(a|aa)+$',
    '^((a|b)?c?)*$',
    '([a-z]+)*@',
    '(.*a){20}',
    '^(\\w+\\s?)*$',
    '^(a)\\1+$',
    '^(?<n>a+)\\k<n>$',
    '(?=(a+)+b)a',
    '(unclosed',
    '[z-a]',
  ])('refuses %s', (pattern) => {
    expect(patternCost(pattern).explosive).toBe(true)
  })

  test.each([
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?Z)?$',
    '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    '^(?:open|held|done)$',
    '^(?:\\d{3}-){2}\\d{4}$',
    '^https?://\\S+$',
    '^[A-Z]{2,3}-\\d+$',
    '^\\p{L}+( \\p{L}+)*$',
    '^#(?:[0-9a-f]{3}){1,2}$',
    '.*,.*,.*x',
    '\\s+$',
    '^(a*)(a*)(a*)b$',
    '^[\\w.]+(\\[\\d+\\])*$',
  ])('admits %s, and no text within its length takes long', (pattern) => {
    const { explosive, longestText } = patternCost(pattern)
    expect(explosive).toBe(false)
    const expression = new RegExp(pattern, 'u')
    const length = Math.min(longestText, 20_000)
    const started = process.cpuUsage()
    for (const part of provocations) expression.test(`${part.repeat(length).slice(0, length - 1)}!`)
    const { user } = process.cpuUsage(started)
    expect(user / provocations.length).toBeLessThan(1_000_000)
  })
})

describe('a schema whose pattern is slow on long texts', () => {
  const slow = '^(a*)(a*)(a*)(a*)b$'
  const long = 'a'.repeat(50_000)

  test('has them refused unmatched, by either kind of validator', () => {
    const properties = { x: { type: 'string', pattern: slow } }
    for (const extra of [{}, { patternProperties: { '^z': {} } }]) {
      const validator = new ArgumentValidator({ type: 'object', properties, ...extra })
      expect(validator.validate({ x: 'aaab' })).toMatchObject({ ok: true })
      expect(validator.validate({ x: long })).toMatchObject({
        ok: false,
        violations: [{ path: '/x', message: expect.stringContaining('at most 100 characters') }],
      })
    }
  })
})

test('arguments nested too deeply to be handled are refused where they arrive', () => {
  const validator = new ArgumentValidator({ type: 'object', properties: { x: {} } })
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  expect(validator.validate({ x: nested(60) })).toMatchObject({ ok: true })
  for (const levels of [64, 5_000, 100_000]) {
    expect(validator.validate({ x: nested(levels) })).toMatchObject({
      ok: false,
      violations: [{ path: '', message: 'must not be nested in more than 64 levels' }],
    })
  }
})
