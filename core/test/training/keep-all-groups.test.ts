import { expect, test } from 'vitest'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { testContext } from '../../src/testing/test-context.ts'
import { groupOf } from '../../src/testing/trajectories.ts'
import { keepAllGroups } from '../../src/training/keep-all-groups.ts'

test('keepAllGroups keeps flat groups and groups of faults as they are', async () => {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [keepAllGroups()] }])
  const groups = [groupOf([1, 1]), groupOf(['environment_fault', 'unscored']), groupOf([1, -1])]
  const context = { ...testContext(), step: 0, policyVersion: 0, learnerVersion: 0, metric: () => undefined }
  expect(await pipeline.chain('groups', groups, context)).toBe(groups)
})
