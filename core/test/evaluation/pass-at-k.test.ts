import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { passAtK, passHatK } from '../../src/evaluation/pass-at-k.ts'

/** Share of the k-subsets of n rollouts, c of them passed, for which `holds` is true of the number that passed. */
function overSubsets(n: number, c: number, k: number, holds: (passed: number) => boolean): number {
  let all = 0
  let matching = 0
  for (let subset = 0; subset < 1 << n; subset++) {
    const members = Array.from({ length: n }, (_, i) => i).filter((i) => subset & (1 << i))
    if (members.length !== k) continue
    all += 1
    if (holds(members.filter((i) => i < c).length)) matching += 1
  }
  return matching / all
}

describe('pass@k and pass^k', () => {
  test('match a hand-worked task: 1 of 4 passed', () => {
    // pass@2 = 1 − C(3,2)/C(4,2) = 1 − 3/6; pass^2 = C(1,2)/C(4,2) = 0
    expect(passAtK(4, 1, 2)).toBeCloseTo(0.5, 12)
    expect(passHatK(4, 1, 2)).toBe(0)
  })

  test('are the plain rate at k = 1', () => {
    expect(passAtK(8, 3, 1)).toBeCloseTo(3 / 8, 12)
    expect(passHatK(8, 3, 1)).toBeCloseTo(3 / 8, 12)
  })

  test('say nothing when there are fewer rollouts than k', () => {
    expect(passAtK(3, 3, 4)).toBeNull()
    expect(passHatK(3, 3, 4)).toBeNull()
  })

  test('equal the share of all k-subsets that have one pass, or only passes', () => {
    const sizes = fc
      .integer({ min: 1, max: 8 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })))
    fc.assert(
      fc.property(sizes, ([n, c, k]) => {
        expect(passAtK(n, c, k)).toBeCloseTo(
          overSubsets(n, c, k, (passed) => passed > 0),
          12,
        )
        expect(passHatK(n, c, k)).toBeCloseTo(
          overSubsets(n, c, k, (passed) => passed === k),
          12,
        )
      }),
    )
  })
})
