import type { Json } from 'rlenv'
import { describe, expect, test } from 'vitest'
import { isAnswerRight } from '../src/answer-check.ts'
import type { AnswerWording } from '../src/stored-checks.ts'

const right = (value: Json, answer: string | null, wording: AnswerWording = 'exact', alternatives: string[] = []) =>
  isAnswerRight({ value, wording, alternatives }, answer, 'How many of the 12 orders of Ana are late?')

describe('an exact answer', () => {
  test.each([
    [5, '5'],
    [5, '5.0'],
    [5, ' "5." '],
    [1234.5, '1,234.50'],
    [12, '€ 12'],
    ['In stock', 'in  STOCK.'],
    ['Zoë', 'Zoe\u0308'],
    ['2026-04-01', '`2026-04-01`'],
    [true, 'Yes.'],
    [['a', 'b'], 'b, a'],
    [['a', 'b'], '["b","a"]'],
    [{ n: 1, m: 2 }, '{"m":2,"n":1}'],
  ] as const)('%j is given by %j', (value, answer) => expect(right(value as Json, answer)).toBe(true))

  test.each([
    [5, '15'],
    [5, '5 or 6'],
    [5, 'five'],
    ['gold', 'bronze, silver, gold'],
    ['gold', 'The tier is gold'],
    ['007', '7'],
    [['a', 'b'], 'a, b, c'],
    [['a', 'a'], 'a, b'],
    [{ n: 1 }, 'n is 1'],
    ['gold', ''],
    ['gold', null],
  ] as const)('%j is not given by %j', (value, answer) => expect(right(value as Json, answer)).toBe(false))
})

describe('an answer in a sentence', () => {
  const tiers = ['bronze', 'silver', 'platinum']
  test.each([
    ['gold', 'The tier is gold.'],
    ['gold', 'Gold!'],
    [5, 'There are 5 late ones among the 12 orders.'],
    [1200, 'The balance is $1,200.00'],
  ] as const)('%j is stated by %j', (value, answer) => expect(right(value, answer, 'sentence', tiers)).toBe(true))

  test.each([
    ['gold', 'It is bronze, silver or gold.'],
    ['gold', 'golden'],
    ['gold', `gold ${'and so on '.repeat(30)}`],
    [5, 'Either 5 or 6.'],
    [5, '1 2 3 4 5 6 7 8 9'],
    [5, 'Many.'],
  ] as const)('%j is not stated by %j', (value, answer) => expect(right(value, answer, 'sentence', tiers)).toBe(false))

  test('may repeat a number that the task names, and give it as the answer', () => {
    expect(right(12, 'All 12.', 'sentence')).toBe(true)
  })
})

describe('an answer that is written to wear the verifier out', () => {
  const long = 200_000
  test.each([
    ['gold', `a${' '.repeat(long)}b`],
    ['gold', `${'"'.repeat(long)}b${'"'.repeat(long)}b`],
    [5, `${'1'.repeat(long)}x`],
    [5, `5${' '.repeat(long)}x`],
    [['a', 'b'], `${'a'.repeat(9)},`.repeat(long)],
    [['a', 'b'], `${'['.repeat(long)}${']'.repeat(long)}`],
    [{ n: 1 }, `${'{"n":'.repeat(long)}1${'}'.repeat(long)}`],
  ] as const)('is not %j, which is said at once', (value, answer) => {
    expect(right(value as Json, answer)).toBe(false)
    expect(right(value as Json, answer, 'sentence')).toBe(false)
  })
})
