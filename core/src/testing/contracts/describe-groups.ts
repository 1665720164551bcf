import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import { isCounted, type TrajectoryGroup } from '../../vocabulary/trajectory.ts'
import { testContext } from '../test-context.ts'
import { groupOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

async function run(
  plugin: Plugin,
  ...steps: readonly (readonly TrajectoryGroup[])[]
): Promise<readonly TrajectoryGroup[]> {
  const pipeline = await pipelineOf(plugin)
  let out: readonly TrajectoryGroup[] = []
  for (const [step, groups] of steps.entries()) {
    out = await pipeline.chain('groups', groups, {
      ...testContext(),
      step,
      policyVersion: step,
      learnerVersion: step,
      metric: () => {},
    })
  }
  return out
}

const live = (ordinal: number) => groupOf([1, -1, 1, -1], { ordinal })
const flat = (ordinal: number) => groupOf([-1, -1, -1, -1], { ordinal })
const faulty = (ordinal: number) => groupOf([1, 'environment_fault', -1, 'unscored'], { ordinal })
const dead = (ordinal: number) => groupOf(['environment_fault', 'environment_fault'], { ordinal })

/** The promises every `groups` plugin keeps. Call it from the plugin's own test file. */
export function describeGroups(create: () => Plugin): void {
  describe(`${create().name} keeps the groups contract`, () => {
    test('keeps a group whose rewards differ', async () => {
      expect(await run(create(), [live(0)])).toEqual([live(0)])
    })
    test('answers nothing with nothing', async () => {
      expect(await run(create(), [])).toEqual([])
    })
    test('invents no draw and keeps the order of draws', async () => {
      const ordinals = (await run(create(), [flat(0), live(1), dead(2), faulty(3), live(4)])).map((g) => g.ordinal)
      expect(ordinals).toEqual([...ordinals].sort((a, b) => a - b))
      expect(ordinals.filter((ordinal) => ordinal > 4)).toEqual([])
      expect(ordinals).toEqual(expect.arrayContaining([1, 4]))
    })
    test('leaves the groups it was given as they were', async () => {
      const groups = [flat(0), live(1), faulty(2)]
      const before = structuredClone(groups)
      await run(create(), groups)
      expect(groups).toEqual(before)
    })
    test('never turns a fault into a counted member', async () => {
      const faults = new Set(['d2/1', 'd2/3', 'd3/0', 'd3/1'])
      const out = await run(create(), [live(0)], [live(1), faulty(2), dead(3)])
      const counted = out.flatMap((group) => group.members.filter(isCounted)).map(({ trajectory }) => trajectory.id)
      expect(counted.filter((id) => faults.has(id))).toEqual([])
    })
    test('keeps every member in its own task', async () => {
      const out = await run(create(), [groupOf([1, -1], { taskId: 'a/x' })], [groupOf([1, 1], { taskId: 'b/y' })])
      const strangers = out.filter((group) => group.members.some((m) => m.trajectory.taskId !== group.taskId))
      expect(strangers).toEqual([])
    })
    test('gives equal groups for equal groups', async () => {
      const input = [flat(0), live(1), faulty(2)]
      expect(await run(create(), input)).toEqual(await run(create(), input))
    })
  })
}
