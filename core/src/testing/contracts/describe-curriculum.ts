import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { CurriculumPlan } from '../../hooks/roles.ts'
import { testSlotContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { groupOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

const environments = ['library-a', 'library-b', 'library-c'].map((id) => tinyEnvironment({ id }))
const judged = environments.map(({ id }, ordinal) => {
  return groupOf(ordinal === 0 ? [-1, -1] : [1, -1], { ordinal, environmentId: id, taskId: `${id}/lend` })
})

async function planOf(plugin: Plugin, seed = 0): Promise<CurriculumPlan> {
  const pipeline = await pipelineOf(plugin)
  const curriculum = await pipeline.slot('curriculum', testSlotContext(seed))
  return curriculum.next({ round: 0, environments, judged }, new AbortController().signal)
}

/** The promises every `curriculum` plugin keeps. Call it from the plugin's own test file. */
export function describeCurriculum(create: () => Plugin): void {
  describe(`${create().name} keeps the curriculum contract`, () => {
    test('targets only environments that it was given', async () => {
      const known = environments.map(({ id }) => id)
      expect((await planOf(create())).targets.filter(({ environmentId }) => !known.includes(environmentId))).toEqual([])
    })
    test('targets an environment at most once', async () => {
      const ids = (await planOf(create())).targets.map(({ environmentId }) => environmentId)
      expect(new Set(ids).size).toBe(ids.length)
    })
    test('asks for whole, positive numbers of tasks', async () => {
      const counts = (await planOf(create())).targets.map(({ tasks }) => tasks)
      expect(counts.filter((count) => !Number.isInteger(count) || count < 1)).toEqual([])
    })
    test('makes the same plan for the same seed', async () => {
      expect(await planOf(create(), 3)).toEqual(await planOf(create(), 3))
    })
  })
}
