import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitEnvironments } from '../../src/evaluation/split-environments.ts'
import { namedEnvironment } from './judged-rollouts.ts'

const named = (count: number) => Array.from({ length: count }, (_, i) => namedEnvironment(`e${i}`))
const ids = (environments: readonly { id: string }[]) => environments.map(({ id }) => id)

describe('splitEnvironments', () => {
  test('holds the share out and keeps the given order', () => {
    const { train, heldOut } = splitEnvironments(named(10), 0.3, 7)
    expect(heldOut).toHaveLength(3)
    const order = (id: string) => Number(id.slice(1))
    expect(ids(train)).toEqual([...ids(train)].sort((a, b) => order(a) - order(b)))
    expect(ids(heldOut)).toEqual([...ids(heldOut)].sort((a, b) => order(a) - order(b)))
  })

  test('depends on the seed and not on the order of environments', () => {
    const given = splitEnvironments(named(40), 0.25, 1)
    const reversed = splitEnvironments([...named(40)].reverse(), 0.25, 1)
    expect(new Set(ids(reversed.heldOut))).toEqual(new Set(ids(given.heldOut)))
    expect(ids(splitEnvironments(named(40), 0.25, 2).heldOut)).not.toEqual(ids(given.heldOut))
  })

  test('adding one environment moves at most one other', () => {
    const before = new Set(ids(splitEnvironments(named(40), 0.25, 1).heldOut))
    const after = ids(splitEnvironments(named(41), 0.25, 1).heldOut)
    expect(after.filter((id) => !before.has(id)).length).toBeLessThanOrEqual(1)
  })

  test('one environment is trained on, two give one to each side', () => {
    expect(splitEnvironments(named(1), 0.3, 0).heldOut).toEqual([])
    expect(splitEnvironments(named(2), 0.01, 0).heldOut).toHaveLength(1)
    expect(splitEnvironments(named(2), 0.99, 0).train).toHaveLength(1)
  })

  test('a share of 1 is refused', () => {
    expect(() => splitEnvironments(named(3), 1, 0)).toThrow(expect.objectContaining({ code: 'RLENV_CONFIG_INVALID' }))
  })

  test('two environments of one name are refused', () => {
    expect(() => splitEnvironments([namedEnvironment('a'), namedEnvironment('a')], 0.5, 0)).toThrow(
      'two environments are called "a"',
    )
  })

  test('never puts one environment on both sides and loses none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (count, share) => {
        const { train, heldOut } = splitEnvironments(named(count), share, 3)
        expect([...ids(train), ...ids(heldOut)].sort()).toEqual(ids(named(count)).sort())
      }),
    )
  })
})
