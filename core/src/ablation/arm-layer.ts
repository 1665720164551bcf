import { readConfigFile } from '../config/read-config-file.ts'
import type { PluginEntry, RlenvConfig } from '../config/rlenv-config.ts'
import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import { type HookName, hookPoints } from '../hooks/pipeline-hooks.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { keepAllGroups } from '../training/keep-all-groups.ts'
import type { AblationOptions, Arm, Swap } from './ablation-plan.ts'
import { checkAblation } from './read-ablation-file.ts'

/** What an arm puts over the configuration: a layer, and words of `--set`. */
export interface ArmLayer {
  readonly overlay: RlenvConfig
  readonly set: readonly string[]
}

/**
 * @param base - the configuration without the arm, to know which plugins a swap takes the place of.
 * @throws {RlenvError} RLENV_USAGE for a hook point that does not exist; RLENV_CONFIG_FAILED, RLENV_CONFIG_INVALID
 */
export async function armLayer({ name, source }: Arm, base: Pipeline): Promise<ArmLayer> {
  if (source.kind === 'file') return { overlay: named(await armOfFile(source.file, name), name), set: [] }
  const hooks = source.swaps.filter(({ key }) => !isSetting(key))
  const set = source.swaps.filter(({ key }) => isSetting(key)).map(({ key, value }) => `${key}=${value}`)
  const replaced = hooks.map((swap) => swapped(swap, base))
  return {
    overlay: {
      name,
      plugins: replaced.flatMap(({ plugins }) => plugins),
      without: [...new Set(replaced.flatMap(({ without }) => without))],
    },
    set,
  }
}

const named = (layer: RlenvConfig, name: string): RlenvConfig => ({ ...layer, name })

async function armOfFile(file: string, name: string): Promise<RlenvConfig> {
  const { arms }: AblationOptions = checkAblation(await readConfigFile(file), file)
  const layer = arms[name]
  if (layer !== undefined) return layer
  throw new RlenvError(`${file} has no arm "${name}"`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(name, Object.keys(arms)) ?? `Name one of ${Object.keys(arms).join(', ')}.`,
  })
}

/** Settings have a section; hook points do not. */
const isSetting = (key: string): boolean => key.includes('.') || key === 'seed'

/** A plugin is called `<hook>-<idea>`, its hook point by a short name where that is usual. */
const packageHook: Readonly<Partial<Record<HookName, string>>> = { rewardShaper: 'shaper' }

function swapped({ key, value }: Swap, base: Pipeline) {
  if (!Object.hasOwn(hookPoints, key)) {
    throw new RlenvError(`--swap ${key}=${value} names neither a hook point nor a setting`, {
      code: 'RLENV_USAGE',
      fix: didYouMean(key, Object.keys(hookPoints)) ?? 'Run "rlenv config --hooks" to list the hook points.',
    })
  }
  const hook = key as HookName
  const plugins = value.split('+').flatMap((word) => entryOf(hook, word))
  const names = new Set(plugins.map(nameOfEntry))
  const without = base
    .producers(hook)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('rlenv/') && !names.has(name))
  return { plugins, without }
}

function entryOf(hook: HookName, word: string): readonly PluginEntry[] {
  if (word === 'none') return hook === 'groups' ? [keepAllGroups()] : []
  if (word.includes('/') || word.startsWith('rlenv-plugin-')) return [word]
  return [`@rlenv/${packageHook[hook] ?? hook}-${word}`]
}

function nameOfEntry(entry: PluginEntry): string {
  return typeof entry === 'string' ? entry : typeof entry === 'object' && entry && 'name' in entry ? entry.name : ''
}
