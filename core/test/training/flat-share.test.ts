import { expect, test } from 'vitest'
import { expectedFlatShare } from '../../src/training/flat-share.ts'

test('two rollouts per task at 18 percent success leave 70 percent of groups flat', () => {
  // 0.18² + 0.82² = 0.0324 + 0.6724
  expect(expectedFlatShare([0.18], 2)).toBeCloseTo(0.7048, 12)
})

test('sixteen rollouts at the same rate leave 4 percent flat', () => {
  expect(expectedFlatShare([0.18], 16)).toBeCloseTo(0.0418, 4)
})

test('tasks that always or never pass are always flat', () => {
  expect(expectedFlatShare([0, 1], 8)).toBe(1)
})
