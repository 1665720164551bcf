import { ternaryShaper } from '@rlenv/shaper-ternary'
import { assemblePipeline, type JudgedTrajectory, type Plugin, type Verdict } from 'rlenv'
import { judgedOf, testContext, tinyTasks } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

async function rewardOf(plugin: Plugin, judged: JudgedTrajectory, before = 0): Promise<number> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [plugin] }])
  return pipeline.chain('rewardShaper', before, { ...testContext(), judged, task: tinyTasks('tiny-library')[0]! })
}

const scored = (kind: Verdict['kind']): JudgedTrajectory => {
  return { ...judgedOf(1), verdict: { kind, passed: kind === 'passed', score: 0.5, evidence: [] } }
}

describe('ternaryShaper', () => {
  test.each([
    ['a pass', scored('passed'), 1],
    ['a failure', scored('failed'), -1],
    ['a part of the goal', scored('partial'), -1],
    ["the policy's own fault", judgedOf('policy_fault'), -1],
    ['an environment fault', judgedOf('environment_fault'), 0],
    ['a rollout that nobody can judge', judgedOf('unscored'), 0],
  ])('rewards %s', async (_what, judged, reward) => {
    expect(await rewardOf(ternaryShaper(), judged)).toBe(reward)
  })

  test('takes every number as an option', async () => {
    const plugin = ternaryShaper({ passed: 2, failed: -3, partial: 0.5, policyFault: -4, unknown: 7 })
    expect(await rewardOf(plugin, scored('passed'))).toBe(2)
    expect(await rewardOf(plugin, scored('failed'))).toBe(-3)
    expect(await rewardOf(plugin, scored('partial'))).toBe(0.5)
    expect(await rewardOf(plugin, judgedOf('policy_fault'))).toBe(-4)
    expect(await rewardOf(plugin, judgedOf('environment_fault'))).toBe(7)
  })

  test('replaces what an earlier shaper returned', async () => {
    expect(await rewardOf(ternaryShaper(), scored('passed'), 40)).toBe(1)
  })

  test('refuses a misspelt option by name', async () => {
    const misspelt = ternaryShaper({ pased: 1 } as never)
    await expect(rewardOf(misspelt, scored('passed'))).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_OPTIONS',
      message: expect.stringContaining('pased'),
    })
  })
})
