import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { ChainName, OrderedHandler } from '../hooks/pipeline-hooks.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'
import { soleProvider } from './sole-provider.ts'

/** A chain's handler, whatever value it carries. */
export type ChainHandler = (value: unknown, context: unknown) => unknown

/** One handler of a chain at its final place. */
export interface ChainTap extends OrderedHandler<ChainHandler> {
  readonly provider: ReadyPlugin
}

export interface OrderedChain {
  readonly taps: readonly ChainTap[]
  /** Bases of lower layers that a higher layer's base replaced. */
  readonly replaced: readonly ReadyPlugin[]
}

const stages = { pre: 0, normal: 1, post: 2 } as const

/**
 * The handlers of a chain in call order: the base, then `pre`, normal and `post`, each in the order of layers and lists,
 * then moved in front of the plugin that `before` names.
 *
 * @throws {RlenvError} RLENV_SLOT_CONFLICT for two bases in one layer; RLENV_PLUGIN_INVALID for an unknown or
 * contradictory `before`.
 */
export function orderChain(hook: ChainName, plugins: readonly ReadyPlugin[]): OrderedChain {
  const all = plugins.flatMap((provider) => tapOf(hook, provider))
  const { winner, replaced } = soleProvider(
    hook,
    all.filter((tap) => tap.base === true).map((tap) => tap.provider),
  )
  const others = all.filter((tap) => tap.base !== true)
  const staged = others.toSorted((a, b) => stages[a.order ?? 'normal'] - stages[b.order ?? 'normal'])
  const base = all.filter((tap) => tap.base === true && tap.provider === winner)
  return { taps: [...base, ...moveBefore(hook, staged)], replaced }
}

function tapOf(hook: ChainName, provider: ReadyPlugin): ChainTap[] {
  const tap = provider.hooks[hook] as ChainHandler | OrderedHandler<ChainHandler> | undefined
  if (tap === undefined) return []
  return [typeof tap === 'function' ? { provider, handler: tap } : { ...tap, provider }]
}

function moveBefore(hook: ChainName, staged: readonly ChainTap[]): ChainTap[] {
  const order = [...staged]
  for (let round = 0; round <= staged.length ** 2; round++) {
    const late = order.find((tap) => positionOf(hook, order, tap) > -1)
    if (late === undefined) return order
    const target = positionOf(hook, order, late)
    order.splice(order.indexOf(late), 1)
    order.splice(target, 0, late)
  }
  const names = staged.filter((tap) => tap.before !== undefined).map((tap) => tap.provider.plugin.name)
  throw new RlenvError(`the plugins ${names.join(', ')} each want to run before the other in ${hook}`, {
    code: 'RLENV_PLUGIN_INVALID',
    hook,
    fix: 'Take "before" out of one of them.',
  })
}

/** Where the plugin stands that a tap must precede, when it stands too early; -1 when all is well. */
function positionOf(hook: ChainName, order: readonly ChainTap[], tap: ChainTap): number {
  if (tap.before === undefined) return -1
  const target = order.findIndex((other) => other !== tap && other.provider.plugin.name === tap.before)
  if (target === -1) throw unknownNeighbour(hook, order, tap)
  return target < order.indexOf(tap) ? target : -1
}

function unknownNeighbour(hook: ChainName, order: readonly ChainTap[], tap: ChainTap): RlenvError {
  const plugin = tap.provider.plugin.name
  const known = order.map((other) => other.provider.plugin.name).filter((name) => name !== plugin)
  const list = known.length === 0 ? 'no other plugin is there' : `there are ${known.join(', ')}`
  return new RlenvError(`${plugin} wants to run before "${tap.before}" in ${hook}, but ${list}`, {
    code: 'RLENV_PLUGIN_INVALID',
    plugin,
    hook,
    fix: didYouMean(tap.before ?? '', known) ?? `Add "${tap.before}" to "plugins", or take "before" out of ${plugin}.`,
  })
}
