import { describe, expect, test } from 'vitest'
import { curveOf, runMeasures } from '../../src/ablation/run-measures.ts'

const lines = [
  { step: 0, 'eval/pass@1': 0.1, 'eval/greedy_pass@1': 0.2, 'eval/error_rate': 0 },
  {
    step: 0,
    'rollouts/generated': 100,
    'rollouts/used': 40,
    'reward/frac_zero_std_generated': 0.6,
    'reward/mean': -0.5,
  },
  { step: 1, 'rollouts/generated': 60, 'rollouts/used': 24, 'reward/frac_zero_std_generated': 0.4, 'reward/mean': 0.1 },
  { step: 2, 'eval/pass@1': 0.3, 'eval/error_rate': 0 },
]

describe('runMeasures', () => {
  test('averages over steps, and counts rollouts per rollout with advantage over the whole run', () => {
    expect(runMeasures(lines, [])).toEqual({
      flatGenerated: 0.5,
      zeroAdvantage: 0,
      generatedPerUsed: 2.5,
      reward: -0.2,
      swapRate: null,
      stepTimeGrowth: null,
    })
  })

  test('compares the time of the last third of steps with the first', () => {
    expect(runMeasures(lines, [1, 1, 5, 5, 3, 3]).stepTimeGrowth).toBe(3)
    expect(runMeasures(lines, [1, 2]).stepTimeGrowth).toBeNull()
  })

  test('places each evaluation at the rollouts that had been generated before it', () => {
    expect(curveOf(lines)).toEqual([
      { step: 0, rollouts: 0, sampled: 0.1, greedy: 0.2 },
      { step: 2, rollouts: 160, sampled: 0.3, greedy: null },
    ])
  })
})
