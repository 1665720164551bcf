import { definePlugin, type PluginFactory, RandomStream, type Task, type TaskContext } from 'rlenv'
import { z } from 'zod'
import { ApplicationCache } from './application.ts'
import { comparisonNotes, databaseDraft } from './database/database-draft.ts'
import { pluginName, scenarioNote, scenariosUpTo } from './scenarios.ts'
import { generateTasks } from './tasks/generate-tasks.ts'
import { Workbench } from './tasks/workbench.ts'

export interface BlueprintOptions {
  /** Ids of the shipped seeds to use, in this order. Default: all 100. */
  readonly seeds?: readonly string[]
  /** Environments wanted; more than there are seeds gives variants. Default: as many as the run wants. */
  readonly environments?: number
  /** Probability, 0 to 1, that a task is made to use the tools' own word; else any synonym is drawn. Default 0.4. */
  readonly lexSame?: number
  /** Share of tasks with two goals, 0 to 1. Default 0.3. */
  readonly twoGoalShare?: number
  /** Share of tasks with three goals, 0 to 1; they take 6 to 10 calls. Default 0.04. */
  readonly threeGoalShare?: number
}

/** Writes whole environments from blueprints, without any model: scenarios, databases, tools and tasks. */
export const blueprint: PluginFactory<BlueprintOptions> = definePlugin({
  name: pluginName,
  version: '0.1.0',
  options: z.strictObject({
    seeds: z.array(z.string()).min(1).readonly().exactOptional(),
    environments: z.int().min(1).exactOptional(),
    lexSame: z.number().min(0).max(1).default(0.4),
    twoGoalShare: z.number().min(0).max(1).default(0.3),
    threeGoalShare: z.number().min(0).max(1).default(0.04),
  }),
  setup: (options) => {
    const applications = new ApplicationCache()
    return {
      scenarioSource: (before, context) =>
        scenariosUpTo(options.environments ?? context.environments, before, options.seeds),
      dbMiner: (draft, { scenario, seed }) => {
        const note = scenarioNote(scenario)
        if (note === null || draft.schema !== '') return draft
        const { plan, rows } = applications.get(scenario, note, seed)
        const annotations = { ...draft.annotations, [pluginName]: comparisonNotes(plan) }
        return { ...databaseDraft(plan, rows), annotations }
      },
      toolGenerator: (toolset, { scenario, seed, database }) => {
        const note = scenarioNote(scenario)
        if (note === null || !(pluginName in database.annotations)) return toolset
        const { tools } = applications.get(scenario, note, seed)
        return { ...toolset, tools: [...toolset.tools, ...tools.map(({ tool }) => tool)] }
      },
      taskGenerator: (before, context) => {
        const note = scenarioNote(context.scenario)
        if (note === null || !(pluginName in context.database.annotations)) return before
        const { plan, rows, tools } = applications.get(context.scenario, note, context.seed)
        const left = new Set(context.toolset.tools.map((tool) => tool.name))
        const bench = new Workbench(
          plan,
          rows,
          tools.filter(({ tool }) => left.has(tool.name)),
        )
        return [...before, ...generateTasks({ ...taskWishes(context, before), ...shares(options), bench })]
      },
    }
  },
})

function shares(options: { readonly lexSame: number; readonly twoGoalShare: number; readonly threeGoalShare: number }) {
  return { lexSame: options.lexSame, shares: { two: options.twoGoalShare, three: options.threeGoalShare } }
}

/** A further round with other guidelines, or a further try, draws other tasks. */
function taskWishes(context: TaskContext, existing: readonly Task[]) {
  const { seed, scenario, attempt, guidelines } = context
  return {
    existing,
    guidelines,
    world: context.world,
    count: context.tasksPerEnvironment,
    random: RandomStream.of(seed, scenario.id, 'tasks', attempt, existing.length, ...guidelines),
  }
}
