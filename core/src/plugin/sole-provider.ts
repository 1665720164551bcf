import { RlenvError } from '../errors/rlenv-error.ts'
import type { HookName } from '../hooks/pipeline-hooks.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'

export interface SoleProvider {
  readonly winner: ReadyPlugin | undefined
  /** Providers of lower layers, weakest first. */
  readonly replaced: readonly ReadyPlugin[]
}

/**
 * The one plugin that fills a place for one: the highest layer's.
 *
 * @throws {RlenvError} RLENV_SLOT_CONFLICT when a layer has two, also when a higher layer would have replaced both.
 */
export function soleProvider(hook: HookName, providers: readonly ReadyPlugin[]): SoleProvider {
  for (const { layer } of providers) {
    const rivals = providers.filter((other) => other.layer.index === layer.index)
    if (rivals.length > 1) throw conflict(hook, rivals)
  }
  const ranked = providers.toSorted((a, b) => a.layer.index - b.layer.index)
  return { winner: ranked.at(-1), replaced: ranked.slice(0, -1) }
}

function conflict(hook: HookName, rivals: readonly ReadyPlugin[]): RlenvError {
  const names = rivals.map(({ plugin }) => plugin.name)
  const layer = rivals[0]?.layer.name
  return new RlenvError(`${names.length} plugins of ${layer} provide ${hook}: ${names.join(', ')}`, {
    code: 'RLENV_SLOT_CONFLICT',
    hook,
    fix: `Keep one of ${names.join(', ')} in "plugins".`,
  })
}
