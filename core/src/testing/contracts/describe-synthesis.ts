import { describe, expect, test } from 'vitest'
import { draftWorld } from '../../environment/draft-world.ts'
import { buildImage } from '../../environment/image/build-image.ts'
import type { Plugin } from '../../hooks/plugin.ts'
import { reservedToolNames } from '../../vocabulary/environment.ts'
import { scenarioSchema } from '../../vocabulary/scenario.ts'
import { taskSchema } from '../../vocabulary/task.ts'
import { toolSchema } from '../../vocabulary/tool.ts'
import { type SynthesisDraft, synthesisDraft } from './synthesis-draft.ts'

const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)

function deterministic(create: () => Plugin, part: (draft: SynthesisDraft) => unknown): void {
  test('makes the same for the same seed', async () => {
    expect(part(await synthesisDraft(create(), 5))).toEqual(part(await synthesisDraft(create(), 5)))
  })
}

/** The promises every `scenarioSource` plugin keeps. Call it from the plugin's own test file. */
export function describeScenarioSource(create: () => Plugin): void {
  describe(`${create().name} keeps the scenarioSource contract`, () => {
    test.each([1, 3, 7])('makes at least one scenario and no more than asked for (%i)', async (wanted) => {
      const { scenarios } = await synthesisDraft(create(), 1, wanted)
      expect(scenarios.length).toBeGreaterThan(0)
      expect(scenarios.length).toBeLessThanOrEqual(wanted)
    })
    test('gives every scenario an id of its own', async () => {
      const { scenarios } = await synthesisDraft(create(), 2, 20)
      expect(repeated(scenarios.map(({ id }) => id))).toEqual([])
    })
    test('makes scenarios that fit the schema', async () => {
      for (const scenario of (await synthesisDraft(create(), 3)).scenarios) scenarioSchema.parse(scenario)
    })
    deterministic(create, ({ scenarios }) => scenarios)
  })
}

/** The promises every `dbMiner` plugin keeps. Call it from the plugin's own test file. */
export function describeDbMiner(create: () => Plugin): void {
  describe(`${create().name} keeps the dbMiner contract`, () => {
    test('makes a database that loads, foreign keys included', async () => {
      const { database } = await synthesisDraft(create(), 1)
      expect(buildImage(database).bytes.length).toBeGreaterThan(0)
    })
    deterministic(create, ({ database }) => database)
  })
}

/** The promises every `toolGenerator` plugin keeps. Call it from the plugin's own test file. */
export function describeToolGenerator(create: () => Plugin): void {
  describe(`${create().name} keeps the toolGenerator contract`, () => {
    test('makes tools that fit the schema, with names of their own and none that is reserved', async () => {
      const { toolset } = await synthesisDraft(create(), 1)
      const names = toolset.tools.map((tool) => {
        toolSchema.parse(tool)
        return tool.name
      })
      expect(names.length).toBeGreaterThan(0)
      expect(repeated(names)).toEqual([])
      expect(names.filter((name) => reservedToolNames.has(name) || name.startsWith('__'))).toEqual([])
    })
    test('makes tools that the driver accepts', async () => {
      const { database, toolset } = await synthesisDraft(create(), 2)
      const instance = draftWorld({ database, toolset, seed: 2 }).open()
      expect(instance.tools).toHaveLength(toolset.tools.length)
      await instance.close()
    })
    deterministic(create, ({ toolset }) => toolset)
  })
}

/** The promises every `taskGenerator` plugin keeps. Call it from the plugin's own test file. */
export function describeTaskGenerator(create: () => Plugin): void {
  describe(`${create().name} keeps the taskGenerator contract`, () => {
    test('makes tasks that fit the schema, with ids of their own, for the environment at hand', async () => {
      const { tasks, scenarios } = await synthesisDraft(create(), 1)
      for (const task of tasks) taskSchema.parse(task)
      expect(tasks.length).toBeGreaterThan(0)
      expect(repeated(tasks.map(({ id }) => id))).toEqual([])
      expect(new Set(tasks.map(({ environmentId }) => environmentId))).toEqual(new Set([scenarios[0]?.id]))
    })
    test('gives every task a reference solution that runs and does something', async () => {
      const { database, toolset, tasks } = await synthesisDraft(create(), 2)
      const world = draftWorld({ database, toolset, seed: 2 })
      for (const { id, gold } of tasks) {
        const run = world.run(gold.calls, gold.answer)
        expect([id, run.succeeded]).toEqual([id, true])
        expect([id, run.diff.length > 0 || gold.answer !== null]).toEqual([id, true])
      }
    })
    deterministic(create, ({ tasks }) => tasks)
  })
}
