import { RlenvError } from '../errors/rlenv-error.ts'
import type { HookName } from '../hooks/pipeline-hooks.ts'
import type { RemovedPlugin } from './plugin-layers.ts'

/** A published plugin for each hook point, to name in the error for an empty one. */
const knownPlugins: Readonly<Partial<Record<HookName, string>>> = {
  scenarioSource: '@rlenv/blueprint',
  dbMiner: '@rlenv/blueprint',
  toolGenerator: '@rlenv/blueprint',
  taskGenerator: '@rlenv/blueprint',
  verifier: '@rlenv/verifier-code',
  rewardShaper: '@rlenv/shaper-ternary',
  sampler: '@rlenv/sampler-uniform',
  groups: '@rlenv/groups-filter',
  algorithm: '@rlenv/algorithm-grpo',
  learner: '@rlenv/learner-embedded',
  policy: '@rlenv/learner-embedded',
}

/** The error for hook points that nothing fills. */
export function emptyHooks(
  hooks: readonly HookName[],
  command: string | null,
  removed: readonly RemovedPlugin[],
): RlenvError {
  const need = command === null ? 'which this needs' : `which "rlenv ${command}" needs`
  const gone = removed.map(({ plugin, by }) => `${plugin.name} (left out by "without" in ${by.name})`)
  const history = gone.length === 0 ? '' : `; no longer there: ${gone.join(', ')}`
  const [first] = hooks
  return new RlenvError(`nothing fills ${hooks.join(', ')}, ${need}${history}`, {
    code: 'RLENV_HOOK_EMPTY',
    ...(first === undefined ? {} : { hook: first }),
    fix: fixFor(hooks, removed),
  })
}

function fixFor(hooks: readonly HookName[], removed: readonly RemovedPlugin[]): string {
  const names = [...new Set(hooks.flatMap((hook) => knownPlugins[hook] ?? []))]
  const example = names.length === 0 ? '' : `, for example ${names.join(', ')}`
  const add = `add a plugin for ${hooks.join(', ')} to "plugins"${example}`
  const unwanted = removed.map(({ plugin }) => `"${plugin.name}"`).join(', ')
  return removed.length === 0
    ? `${add.charAt(0).toUpperCase()}${add.slice(1)}.`
    : `Take ${unwanted} out of "without", or ${add}.`
}
