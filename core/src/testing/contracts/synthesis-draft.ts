import { RandomStream } from '../../determinism/random-stream.ts'
import { draftWorld } from '../../environment/draft-world.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import type { ScenarioContext, TaskContext, ToolContext, Toolset } from '../../hooks/contexts.ts'
import type { HookName, PluginHooks } from '../../hooks/pipeline-hooks.ts'
import type { Plugin } from '../../hooks/plugin.ts'
import type { DatabaseDraft } from '../../vocabulary/database.ts'
import type { Scenario } from '../../vocabulary/scenario.ts'
import type { Task } from '../../vocabulary/task.ts'
import { testContext, testSetupContext } from '../test-context.ts'
import { tinyHooks, tinyPlugin } from '../tiny-plugin.ts'
import { pipelineOf } from './pipeline-of.ts'

/** What the stages of synthesis made for one scenario. */
export interface SynthesisDraft {
  readonly scenarios: readonly Scenario[]
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  readonly tasks: readonly Task[]
}

const emptyDatabase: DatabaseDraft = { schema: '', data: '', clock: '2026-01-01T00:00:00.000Z', annotations: {} }

/** Hook points that a plugin fills. */
async function hooksOf(plugin: Plugin): Promise<readonly HookName[]> {
  const hooks = await plugin.setup(plugin.resolveOptions(), testSetupContext())
  return Object.keys(hooks) as HookName[]
}

/** The tiny library fills what the plugin leaves open, so that any one stage can be tested alone. */
async function completed(plugin: Plugin) {
  const own = new Set(await hooksOf(plugin))
  const rest = Object.entries(tinyHooks).filter(([hook]) => !own.has(hook as HookName))
  const filler = tinyPlugin({ name: 'contract-filler', hooks: Object.fromEntries(rest) as PluginHooks })
  return pipelineOf(plugin, filler)
}

/** Runs the real chains up to tasks for the first of `environments` scenarios. Equal seeds must give equal drafts. */
export async function synthesisDraft(plugin: Plugin, seed = 1, environments = 3): Promise<SynthesisDraft> {
  const pipeline = await completed(plugin)
  const spend = () => {}
  const scenarios = await pipeline.chain('scenarioSource', [], {
    ...testContext(seed, 'scenarios'),
    spend,
    environments,
  })
  const [scenario] = scenarios
  if (!scenario) throw new Error(`${plugin.name} made no scenario`)
  const base: ScenarioContext = { ...testContext(seed, scenario.id), spend, scenario, seed, attempt: 1, feedback: null }
  const at = (stage: string) => ({ ...base, random: RandomStream.of(seed, 'test', scenario.id, stage) })
  const database = await pipeline.chain('dbMiner', emptyDatabase, at('database'))
  const toolContext: ToolContext = { ...at('tools'), database }
  const toolset = await pipeline.chain('toolGenerator', { tools: [], scripts: {} }, toolContext)
  await sandboxFor(toolset.tools)
  const taskContext: TaskContext = {
    ...at('tasks'),
    database,
    toolset,
    tasksPerEnvironment: 4,
    guidelines: [],
    world: draftWorld({ database, toolset, seed }),
  }
  const tasks = await pipeline.chain('taskGenerator', [], taskContext)
  return { scenarios, database, toolset, tasks }
}
