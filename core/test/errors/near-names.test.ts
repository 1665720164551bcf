import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { didYouMean, editDistance, nearNames } from '../../src/errors/near-names.ts'

describe('editDistance', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['sampler', 'smapler', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ])('from %j to %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance)
  })

  test('is symmetric, zero only for equal words, and at most the longer length', () => {
    const word = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})

describe('nearNames', () => {
  const known = ['steps', 'tasksPerStep', 'rolloutsPerTask', '@rlenv/sampler-uniform']
  test.each([
    ['stesp', ['steps']],
    ['STEPS', ['steps']],
    ['step', ['steps', 'tasksPerStep']],
    ['rolloutPerTask', ['rolloutsPerTask']],
    ['sampler-unifrom', ['@rlenv/sampler-uniform']],
    ['learningRate', []],
  ])('of %s are %j', (wrong, near) => {
    expect(nearNames(wrong, known)).toEqual(near)
  })

  test('become a question, or nothing', () => {
    expect(didYouMean('step', known)).toBe('Did you mean "steps" or "tasksPerStep"?')
    expect(didYouMean('zzz', known)).toBeUndefined()
  })
})
