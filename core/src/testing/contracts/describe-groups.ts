import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { isCounted, type TrajectoryGroup } from '../../vocabulary/trajectory.ts'
import { testContext } from '../test-context.ts'
import { groupOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

type Steps = readonly (readonly TrajectoryGroup[])[]

/** What is left of each step, the first of which is number `from`. */
async function play(pipeline: Pipeline, steps: Steps, from = 0): Promise<Steps> {
  const left: (readonly TrajectoryGroup[])[] = []
  for (const [index, groups] of steps.entries()) {
    const step = from + index
    const context = { ...testContext(step), step, policyVersion: step, learnerVersion: step, metric: () => {} }
    left.push(await pipeline.chain('groups', groups, context))
  }
  return left
}

async function run(plugin: Plugin, ...steps: Steps): Promise<readonly TrajectoryGroup[]> {
  return (await play(await pipelineOf(plugin), steps)).at(-1) ?? []
}

/** Two tasks that flip between passing and failing, and one whose groups are alive. */
const changing: Steps = Array.from({ length: 8 }, (_, step) => {
  const rewards = step % 3 === 0 ? [1, 1, 1] : [-1, -1, -1]
  const groups = [rewards, rewards.map((reward) => -reward), [1, -1, 1]]
  return groups.map((specs, index) => {
    return groupOf(specs, { ordinal: 3 * step + index, taskId: `contract/t${index}`, policyVersion: step })
  })
})

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
    test('goes on from what it remembered as if nothing had happened', async () => {
      const [straight, resumed] = [await pipelineOf(create()), await pipelineOf(create())]
      await play(straight, changing.slice(0, 4))
      resumed.memory.restore(JSON.parse(JSON.stringify(straight.memory.state())))
      expect(await play(resumed, changing.slice(4), 4)).toEqual(await play(straight, changing.slice(4), 4))
      expect(JSON.stringify(resumed.memory.state())).toBe(JSON.stringify(straight.memory.state()))
    })
    test('begins anew with a run', async () => {
      const [fresh, used] = [await pipelineOf(create()), await pipelineOf(create())]
      await play(used, changing)
      used.memory.restore(null)
      expect(await play(used, changing)).toEqual(await play(fresh, changing))
    })
    test('gives the same when what it keeps lies on disk', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rlenv-contract-'))
      const [inMemory, onDisk] = [await pipelineOf(create()), await pipelineOf(create())]
      onDisk.buffer.open({ directory: join(folder, 'spilled'), memoryBytes: 0 })
      try {
        expect(await play(onDisk, changing)).toEqual(await play(inMemory, changing))
        expect(JSON.stringify(onDisk.memory.state())).toBe(JSON.stringify(inMemory.memory.state()))
      } finally {
        onDisk.buffer.close()
        await rm(folder, { recursive: true, force: true })
      }
    })
    test('gives equal groups for equal groups', async () => {
      const input = [flat(0), live(1), faulty(2)]
      expect(await run(create(), input)).toEqual(await run(create(), input))
    })
  })
}
