import { hybridShaper } from '@rlenv/shaper-hybrid'
import { assemblePipeline, type JudgedTrajectory, type Plugin, type Verdict } from 'rlenv'
import { judgedOf, testContext, tinyTasks } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

async function rewardOf(plugin: Plugin, judged: JudgedTrajectory): Promise<number> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [plugin] }])
  return pipeline.chain('rewardShaper', 0, { ...testContext(), judged, task: tinyTasks('tiny-library')[0]! })
}

const scored = (kind: Verdict['kind']): JudgedTrajectory => {
  return { ...judgedOf(1), verdict: { kind, passed: kind === 'passed', score: 0.5, evidence: [] } }
}

describe('hybridShaper', () => {
  test.each([
    ['completed', scored('passed'), 1],
    ['partially completed', scored('partial'), 0.1],
    ['failed by the agent', scored('failed'), 0],
    ['broken in format', judgedOf('policy_fault'), -1],
    ['failed by the environment', judgedOf('environment_fault'), 0],
    ['not judged', judgedOf('unscored'), 0],
    ['called unscored by its verifier', scored('unscored'), 0],
  ])('rewards a rollout that was %s', async (_what, judged, reward) => {
    expect(await rewardOf(hybridShaper(), judged)).toBe(reward)
  })

  test('takes every number as an option', async () => {
    const plugin = hybridShaper({
      completed: 5,
      partiallyCompleted: 4,
      agentError: 3,
      formatError: 2,
      environmentError: 1,
    })
    const rewards = [
      scored('passed'),
      scored('partial'),
      scored('failed'),
      judgedOf('policy_fault'),
      judgedOf('unscored'),
    ]
    expect(await Promise.all(rewards.map((judged) => rewardOf(plugin, judged)))).toEqual([5, 4, 3, 2, 1])
  })

  test('with the format reward off, a broken format is a failure like any other', async () => {
    expect(await rewardOf(hybridShaper({ formatError: 0 }), judgedOf('policy_fault'))).toBe(0)
  })
})
