import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { TaskSampler } from '../../hooks/roles.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { Task } from '../../vocabulary/task.ts'
import { testSlotContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { groupOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

const environments = ['a', 'b', 'c'].map((id) => tinyEnvironment({ id: `library-${id}` }))

async function samplerOf(plugin: Plugin, tasks: readonly Task[], seed: number): Promise<TaskSampler> {
  const pipeline = await pipelineOf(plugin)
  return pipeline.slot('sampler', { ...testSlotContext(seed), tasks, environments })
}

/** Draws, and tells the sampler about a group of every draw, so that samplers that learn have something to learn. */
function drawAndObserve(sampler: TaskSampler, rounds: number): string[] {
  return Array.from({ length: rounds }, (_, round) => {
    const drawn = sampler.draw(4)
    drawn.forEach((taskId, index) => {
      const ordinal = round * 4 + index
      sampler.observe(groupOf(ordinal % 3 === 0 ? [1, -1] : [-1, -1], { ordinal, taskId }))
    })
    return drawn
  }).flat()
}

/** The promises every `sampler` plugin keeps. Call it from the plugin's own test file. */
export function describeSampler(create: () => Plugin): void {
  const tasks = environments.flatMap((environment) => environment.tasks)
  const known = new Set(tasks.map(({ id }) => id))

  describe(`${create().name} keeps the sampler contract`, () => {
    test.each([1, 5, tasks.length, 3 * tasks.length + 1])('draws %i tasks when asked for as many', async (count) => {
      expect((await samplerOf(create(), tasks, 1)).draw(count)).toHaveLength(count)
    })
    test('draws only tasks that it was given', async () => {
      const drawn = drawAndObserve(await samplerOf(create(), tasks, 2), 20)
      expect(drawn.filter((id) => !known.has(id))).toEqual([])
    })
    test('draws nothing when asked for nothing', async () => {
      expect((await samplerOf(create(), tasks, 3)).draw(0)).toEqual([])
    })
    test('draws the same tasks for the same seed', async () => {
      const [first, second] = [await samplerOf(create(), tasks, 7), await samplerOf(create(), tasks, 7)]
      expect(drawAndObserve(first, 12)).toEqual(drawAndObserve(second, 12))
    })
    test('draws other tasks for another seed', async () => {
      const [first, second] = [await samplerOf(create(), tasks, 7), await samplerOf(create(), tasks, 8)]
      expect(drawAndObserve(first, 12)).not.toEqual(drawAndObserve(second, 12))
    })
    test('comes to every task in a long run', async () => {
      const drawn = new Set(drawAndObserve(await samplerOf(create(), tasks, 4), 200))
      expect([...known].filter((id) => !drawn.has(id))).toEqual([])
    })
    test('goes on after a restore as if nothing had happened', async () => {
      const straight = await samplerOf(create(), tasks, 5)
      drawAndObserve(straight, 5)
      const state = JSON.parse(JSON.stringify(straight.state())) as Json
      const resumed = await samplerOf(create(), tasks, 5)
      resumed.restore(state)
      expect(drawAndObserve(resumed, 9)).toEqual(drawAndObserve(straight, 9))
    })
    test('refuses a state that is not its own, and is not changed by it', async () => {
      const sampler = await samplerOf(create(), tasks, 6)
      expect(() => sampler.restore({ nonsense: true })).toThrow(
        expect.objectContaining({ code: 'RLENV_CHECKPOINT_INVALID' }),
      )
      expect(drawAndObserve(sampler, 5)).toEqual(drawAndObserve(await samplerOf(create(), tasks, 6), 5))
    })
    test('observes a group of faults without complaint', async () => {
      const sampler = await samplerOf(create(), tasks, 9)
      sampler.observe(groupOf(['environment_fault', 'unscored'], { taskId: tasks[0]?.id ?? '' }))
      expect(sampler.draw(3)).toHaveLength(3)
    })
  })
}
