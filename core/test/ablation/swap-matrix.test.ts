import { describe, expect, test } from 'vitest'
import { swapMatrix } from '../../src/ablation/swap-matrix.ts'

describe('swapMatrix', () => {
  test('spans every value with every other, the first ones together first', () => {
    expect(swapMatrix(['groups=filter,replay', 'sampler=uniform,adaptive']).map(({ name }) => name)).toEqual([
      'groups=filter sampler=uniform',
      'groups=filter sampler=adaptive',
      'groups=replay sampler=uniform',
      'groups=replay sampler=adaptive',
    ])
  })

  test('keeps what a value itself holds behind its first equals sign', () => {
    const [arm] = swapMatrix(['training.steps=3,4', 'groups=replay+filter,none'])
    expect(arm?.source).toEqual({
      kind: 'swaps',
      swaps: [
        { key: 'training.steps', value: '3' },
        { key: 'groups', value: 'replay+filter' },
      ],
    })
  })

  test.each([['groups'], ['groups='], ['=a,b'], ['groups=a,,b'], ['groups=a,a']])('refuses %s', (word) => {
    expect(() => swapMatrix([word])).toThrow(expect.objectContaining({ code: 'RLENV_USAGE' }))
  })

  test('refuses a key that comes twice', () => {
    expect(() => swapMatrix(['groups=a,b', 'groups=c'])).toThrow('--swap names groups twice')
  })
})
