import { type BlueprintOptions, blueprint } from '@rlenv/blueprint'
import {
  type DatabaseDraft,
  type DraftWorld,
  draftWorld,
  type PluginHooks,
  RandomStream,
  type Scenario,
  type StageContext,
  type Task,
  type Toolset,
} from 'rlenv'
import { testSetupContext } from 'rlenv/testing'

/** One environment as the plugin writes it, with a world to run it in. */
export interface Written {
  readonly scenario: Scenario
  readonly seed: number
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  readonly tasks: readonly Task[]
  readonly world: DraftWorld
}

function hookContext(name: string): StageContext {
  return {
    random: RandomStream.of(0, name),
    signal: new AbortController().signal,
    log: () => undefined,
    spend: () => undefined,
  }
}

export async function hooksOf(options: BlueprintOptions = {}): Promise<PluginHooks> {
  const plugin = blueprint(options)
  return plugin.setup(plugin.resolveOptions(), testSetupContext())
}

type Handler<Name extends 'scenarioSource' | 'dbMiner' | 'toolGenerator' | 'taskGenerator'> = Extract<
  NonNullable<PluginHooks[Name]>,
  (...args: never[]) => unknown
>

function handler<Name extends 'scenarioSource' | 'dbMiner' | 'toolGenerator' | 'taskGenerator'>(
  hooks: PluginHooks,
  name: Name,
): Handler<Name> {
  const found = hooks[name]
  if (typeof found !== 'function') throw new Error(`${name} is not a plain function`)
  return found as Handler<Name>
}

export async function scenarios(hooks: PluginHooks, count: number): Promise<readonly Scenario[]> {
  return handler(hooks, 'scenarioSource')([], { ...hookContext('scenarios'), environments: count })
}

const emptyDraft: DatabaseDraft = { schema: '', data: '', clock: '2026-01-01T00:00:00.000Z', annotations: {} }

export async function write(
  hooks: PluginHooks,
  scenario: Scenario,
  seed: number,
  tasks = 10,
  guidelines: readonly string[] = [],
): Promise<Written> {
  const stage = { ...hookContext(scenario.id), scenario, seed, attempt: 1, feedback: null }
  const database = await handler(hooks, 'dbMiner')(emptyDraft, stage)
  const toolset = await handler(hooks, 'toolGenerator')({ tools: [], scripts: {} }, { ...stage, database })
  const world = draftWorld({ database, toolset, seed })
  const wishes = { ...stage, database, toolset, world, tasksPerEnvironment: tasks, guidelines }
  return { scenario, seed, database, toolset, world, tasks: await handler(hooks, 'taskGenerator')([], wishes) }
}

/** The first environments of a run, each with a seed of its own. */
export async function writtenEnvironments(
  count: number,
  options: BlueprintOptions = {},
  firstSeed = 5000,
): Promise<readonly Written[]> {
  const hooks = await hooksOf(options)
  const written: Written[] = []
  for (const [index, scenario] of (await scenarios(hooks, count)).entries()) {
    written.push(await write(hooks, scenario, firstSeed + index))
  }
  return written
}
