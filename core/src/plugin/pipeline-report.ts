import { type HookName, hookPoints } from '../hooks/pipeline-hooks.ts'
import type { HookReport, PipelineReport } from './pipeline.ts'
import { plainOptions } from './plain-options.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'

/** What fills a hook point, in call order, and what a higher layer replaced there. */
export interface FilledHook {
  readonly plugins: readonly ReadyPlugin[]
  readonly replaced: readonly ReadyPlugin[]
}

/** Who fills what, from which layer, with which options. */
export function buildReport(filled: ReadonlyMap<HookName, FilledHook>, ready: readonly ReadyPlugin[]): PipelineReport {
  return {
    hooks: (Object.keys(hookPoints) as HookName[]).map((hook): HookReport => {
      const { plugins, replaced } = filled.get(hook) ?? { plugins: [], replaced: [] }
      return { hook, kind: hookPoints[hook].kind, plugins: plugins.map(label), replaced: replaced.map(label) }
    }),
    plugins: ready.map((provider) => ({ ...label(provider), options: plainOptions(provider.options) })),
  }
}

function label({ plugin, layer }: ReadyPlugin): HookReport['plugins'][number] {
  return { name: plugin.name, version: plugin.version, layer }
}
