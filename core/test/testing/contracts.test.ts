import { definePlugin, keepAllGroups, type RunEvent, reactRollout, type Task } from 'rlenv'
import {
  describeCurriculum,
  describeDbMiner,
  describeGroups,
  describePolicy,
  describeRollout,
  describeScenarioSource,
  describeTaskGenerator,
  describeToolGenerator,
  describeVerifier,
  describeWatch,
  describeWorld,
  scriptedPolicy,
  tinyPlugin,
} from 'rlenv/testing'
import { z } from 'zod'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import { countBooks, countBooksSource } from '../synthesis/count-books.ts'

const countsByScript = definePlugin({
  name: 'counts-by-script',
  setup: () => ({
    toolGenerator: ({ scripts }) => {
      return { tools: [countBooks], scripts: { ...scripts, 'tools/count_books.ts': countBooksSource } }
    },
    taskGenerator: (_tasks, { scenario: { id } }): Task[] => {
      const gold = { calls: [{ tool: 'count_books', arguments: {} }], answer: 10 }
      const about = { instruction: 'How many titles are there?', kind: 'count', difficulty: 0.1, guidelines: [] }
      return [{ id: `${id}/count`, environmentId: id, ...about, gold }]
    },
  }),
})

describeScenarioSource(() => tinyPlugin())
describeDbMiner(() => tinyPlugin())
describeToolGenerator(() => tinyPlugin())
describeTaskGenerator(() => tinyPlugin())
describeTaskGenerator(() => countsByScript())
describeGroups(() => keepAllGroups())
describeRollout(() => reactRollout())
describeRollout(() => reactRollout({ surface: 'meta', toolCallsPerTurn: 1 }), 'meta')
describeWorld(() => tinyPlugin({ name: 'world', hooks: { world: () => new ExecutableWorld() } }))

const hears = definePlugin({
  name: 'counts-events',
  options: z.strictObject({}),
  setup: () => {
    const heard = new Map<string, number>()
    return { watch: ({ type }: RunEvent) => void heard.set(type, (heard.get(type) ?? 0) + 1) }
  },
})
describeWatch(() => hears())

const widens = definePlugin({
  name: 'weakest-first',
  options: z.strictObject({}),
  setup: () => ({
    curriculum: () => ({
      name: 'weakest-first',
      next: async ({ judged }) => {
        const failed = judged.filter(({ members }) => members.every(({ verdict }) => verdict?.passed !== true))
        const ids = [...new Set(failed.map(({ environmentId }) => environmentId))]
        return { targets: ids.map((environmentId) => ({ environmentId, tasks: 2, guidelines: ['more like these'] })) }
      },
    }),
  }),
})
describeCurriculum(() => widens())

describeVerifier(() => tinyPlugin())
describePolicy(() => {
  const policy = scriptedPolicy([{ tool: 'find_member', arguments: { name: 'Ana Silva' } }, 'Done.'])
  return tinyPlugin({ name: 'scripted', hooks: { policy: () => policy } })
})
