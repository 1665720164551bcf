import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { ChainName, OrderedGroupsHandler, OrderedHandler } from '../hooks/pipeline-hooks.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'
import { soleProvider } from './sole-provider.ts'

/** A chain's handler, whatever value it carries. */
export type ChainHandler = (value: unknown, context: unknown) => unknown

/** One handler of a chain at its final place. */
export interface ChainTap extends OrderedHandler<ChainHandler> {
  readonly provider: ReadyPlugin
  readonly flatGroups?: OrderedGroupsHandler['flatGroups']
}

export interface OrderedChain {
  readonly taps: readonly ChainTap[]
  /** Bases of lower layers that a higher layer's base replaced. */
  readonly replaced: readonly ReadyPlugin[]
}

const stages = { pre: 0, normal: 1, post: 2 } as const

/**
 * The handlers of a chain in call order: the base, then `pre`, normal and `post`, each in the order of layers and lists,
 * then moved in front of the plugin that `before` names, and what mends groups in front of what drops them.
 *
 * @throws {RlenvError} RLENV_SLOT_CONFLICT for two bases in one layer; RLENV_PLUGIN_INVALID for an unknown `before`, and
 * for an order in which not everybody can have what they ask for.
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
  assertMendable(hook, base, others)
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
  const mending = staged.filter((tap) => tap.flatGroups === 'mend').map((tap) => tap.provider.plugin.name)
  throw new RlenvError(contradiction(hook, names, mending), {
    code: 'RLENV_PLUGIN_INVALID',
    hook,
    fix: 'Take "before" out of one of them.',
  })
}

function contradiction(hook: ChainName, names: readonly string[], mending: readonly string[]): string {
  if (mending.length === 0) return `the plugins ${names.join(', ')} each want to run before the other in ${hook}`
  const mend = `${mending.join(', ')} must run before whatever drops flat groups`
  return `the plugins of ${hook} cannot all have the place they ask for: ${mend}; "before" stands in ${names.join(', ')}`
}

/** A base runs before everything else, so one that drops flat groups leaves nothing to mend. */
function assertMendable(hook: ChainName, bases: readonly ChainTap[], others: readonly ChainTap[]): void {
  const dropping = bases.find((tap) => tap.flatGroups === 'drop')?.provider.plugin.name
  const mending = others.find((tap) => tap.flatGroups === 'mend')?.provider.plugin.name
  if (dropping === undefined || mending === undefined) return
  throw new RlenvError(`${dropping} is the base of ${hook} and drops the flat groups that ${mending} would mend`, {
    code: 'RLENV_PLUGIN_INVALID',
    plugin: dropping,
    hook,
    fix: `Take "base" out of ${dropping}, or leave one of the two plugins out.`,
  })
}

/** Where the first plugin stands that a tap must precede and does not; -1 when all is well. */
function positionOf(hook: ChainName, order: readonly ChainTap[], tap: ChainTap): number {
  const [named, dropping] = [positionOfNeighbour(hook, order, tap), positionOfDropping(order, tap)]
  return named === -1 || dropping === -1 ? Math.max(named, dropping) : Math.min(named, dropping)
}

function positionOfDropping(order: readonly ChainTap[], tap: ChainTap): number {
  if (tap.flatGroups !== 'mend') return -1
  return order.slice(0, order.indexOf(tap)).findIndex((other) => other.flatGroups === 'drop')
}

function positionOfNeighbour(hook: ChainName, order: readonly ChainTap[], tap: ChainTap): number {
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
