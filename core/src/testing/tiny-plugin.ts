import type { PluginHooks } from '../hooks/pipeline-hooks.ts'
import type { Plugin } from '../hooks/plugin.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import { tinyDatabase, tinyScenario, tinyTasks } from './tiny-environment.ts'
import { libraryTools } from './tiny-library.ts'
import { tinyVerifier } from './tiny-verifier.ts'

function scenariosUpTo(count: number, before: readonly Scenario[]): readonly Scenario[] {
  const added = Array.from({ length: count }, (_, index) => {
    return { ...tinyScenario(`library-${index + 1}`), name: `Village library ${index + 1}` }
  })
  return [...before, ...added]
}

/** Every hook of synthesis for tiny libraries: as many as the run wants, their rows drawn from each environment's seed. */
export const tinyHooks = {
  scenarioSource: (before, { environments }) => scenariosUpTo(environments, before),
  dbMiner: (_draft, { seed }) => tinyDatabase(seed),
  toolGenerator: (toolset) => ({ ...toolset, tools: [...toolset.tools, ...libraryTools] }),
  taskGenerator: (before, { scenario, seed, tasksPerEnvironment }) => {
    return [...before, ...tinyTasks(scenario.id, seed)].slice(0, tasksPerEnvironment)
  },
  verifier: tinyVerifier,
} satisfies PluginHooks

/**
 * A plugin made of the given hooks, without options. `tinyPlugin()` fills all of synthesis with tiny libraries;
 * `tinyPlugin({ name: 'broken', hooks: { ...tinyHooks, dbMiner } })` replaces a part.
 */
export function tinyPlugin(parts: { readonly name?: string; readonly hooks?: PluginHooks } = {}): Plugin {
  return {
    name: parts.name ?? 'tiny-library',
    version: '1.0.0',
    options: {},
    resolveOptions: () => ({}),
    setup: () => parts.hooks ?? tinyHooks,
  }
}
