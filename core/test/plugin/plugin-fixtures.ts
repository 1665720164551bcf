import { z } from 'zod'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import type { HookContext, RewardContext, ScenarioSourceContext, SlotContext } from '../../src/hooks/contexts.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { Plugin, SetupContext } from '../../src/hooks/plugin.ts'
import { assemblePipeline, type PipelineOptions } from '../../src/plugin/assemble-pipeline.ts'
import { definePlugin } from '../../src/plugin/define-plugin.ts'
import type { PluginLayer } from '../../src/plugin/plugin-layers.ts'
import { trajectoryOf } from '../../src/testing/trajectories.ts'
import type { Scenario } from '../../src/vocabulary/scenario.ts'

/** A plugin without options; `hooks` may be what a plugin written in plain JavaScript returns. */
export function pluginOf(name: string, hooks: unknown | ((context: SetupContext) => unknown)): Plugin {
  const setup = typeof hooks === 'function' ? hooks : () => hooks
  return definePlugin({
    name,
    version: '1.2.3',
    options: z.strictObject({}),
    setup: (_, context) => setup(context) as PluginHooks,
  })()
}

export function layer(name: string, plugins: readonly Plugin[], without: readonly string[] = []): PluginLayer {
  return { name, plugins, without }
}

/** One layer with these plugins. */
export function pipelineOf(plugins: readonly Plugin[], options: PipelineOptions = {}) {
  return assemblePipeline([layer('test', plugins)], options)
}

export function hookContext(signal: AbortSignal = new AbortController().signal): HookContext {
  return { random: RandomStream.of(1, 'item'), signal, log: () => undefined }
}

export function slotContext(): SlotContext {
  return { ...hookContext(), seed: 1 }
}

export function scenarioContext(signal?: AbortSignal): ScenarioSourceContext {
  return { ...hookContext(signal), environments: 3, spend: () => undefined }
}

export function rewardContext(): RewardContext {
  return {
    ...hookContext(),
    judged: {
      trajectory: trajectoryOf(),
      outcome: { kind: 'scored' },
      verdict: { kind: 'passed', passed: true, score: 1, evidence: [] },
      reward: null,
    },
    task: {
      id: 'a/t',
      environmentId: 'a',
      instruction: 'Do it.',
      kind: 'update',
      difficulty: 0,
      gold: { calls: [], answer: null },
      guidelines: [],
    },
  }
}

export function scenarioOf(id: string): Scenario {
  return { id, name: id, description: `About ${id}.`, taxonomy: [], annotations: {} }
}
