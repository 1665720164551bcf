import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import { testContext } from '../test-context.ts'
import { tinyTasks } from '../tiny-environment.ts'
import { judgedOf, type MemberSpec } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

async function rewardOf(plugin: Plugin, judged: JudgedTrajectory): Promise<number> {
  const [task] = tinyTasks('tiny-library')
  if (!task) throw new Error('the tiny library has no tasks')
  const pipeline = await pipelineOf(plugin)
  return pipeline.chain('rewardShaper', 0, { ...testContext(), judged: { ...judged, reward: 0 }, task })
}

/** The promises every `rewardShaper` plugin keeps. Call it from the plugin's own test file. */
export function describeRewardShaper(create: () => Plugin): void {
  const specs: readonly MemberSpec[] = [1, -1, 'policy_fault', 'environment_fault', 'unscored']

  describe(`${create().name} keeps the rewardShaper contract`, () => {
    test.each(specs)('gives a finite reward for %s', async (spec) => {
      expect(Number.isFinite(await rewardOf(create(), judgedOf(spec)))).toBe(true)
    })
    test('rewards a pass more than a failure', async () => {
      expect(await rewardOf(create(), judgedOf(1))).toBeGreaterThan(await rewardOf(create(), judgedOf(-1)))
    })
    test('never rewards a fault of the policy more than an honest failure', async () => {
      const fault = await rewardOf(create(), judgedOf('policy_fault'))
      expect(fault).toBeLessThanOrEqual(await rewardOf(create(), judgedOf(-1)))
    })
    test('gives equal rewards for equal trajectories', async () => {
      const plugin = create()
      expect(await rewardOf(plugin, judgedOf(1))).toBe(await rewardOf(plugin, judgedOf(1)))
    })
    test('leaves the trajectory as it was', async () => {
      const judged = judgedOf(1)
      const before = structuredClone(judged)
      await rewardOf(create(), judged)
      expect(judged).toEqual(before)
    })
  })
}
