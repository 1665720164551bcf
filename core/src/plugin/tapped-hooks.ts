import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable'
import type { HookContext } from '../hooks/contexts.ts'
import type { ChainName, TappedHooks } from '../hooks/pipeline-hooks.ts'
import { checkChainValue, checkStoredVerifier, checkVerdict } from './chain-checks.ts'
import type { Guard } from './guard.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'
import type { ChainHandler, ChainTap } from './tap-order.ts'

/** Any chain of {@link TappedHooks}, whatever value it carries. */
export type ChainHook = AsyncSeriesWaterfallHook<[unknown, HookContext]>

export interface TapTools {
  readonly guard: Guard
  readonly log: (plugin: string, message: string) => void
}

export function createTappedHooks(): TappedHooks {
  return {
    scenarioSource: new AsyncSeriesWaterfallHook(['scenarios', 'context'], 'scenarioSource'),
    dbMiner: new AsyncSeriesWaterfallHook(['database', 'context'], 'dbMiner'),
    toolGenerator: new AsyncSeriesWaterfallHook(['toolset', 'context'], 'toolGenerator'),
    taskGenerator: new AsyncSeriesWaterfallHook(['tasks', 'context'], 'taskGenerator'),
    verifierPrepare: new AsyncSeriesBailHook(['task', 'context'], 'verifier.prepare'),
    verifierJudge: new AsyncSeriesBailHook(['input', 'context'], 'verifier.judge'),
    rewardShaper: new AsyncSeriesWaterfallHook(['reward', 'context'], 'rewardShaper'),
    groups: new AsyncSeriesWaterfallHook(['groups', 'context'], 'groups'),
    watch: new AsyncParallelHook(['event'], 'watch'),
  }
}

/** Taps one handler of a chain: guarded, with a context of its own, its answer checked. */
export function tapChain(hook: ChainHook, chain: ChainName, tap: ChainTap, tools: TapTools): void {
  const plugin = tap.provider.plugin.name
  const site = { plugin, hook: chain }
  const handler: ChainHandler = tap.handler
  hook.tapPromise({ name: plugin }, async (value, context) => {
    const own = contextFor(context, site, tools)
    const result = await tools.guard.call(site, context.signal, () => handler(value, own))
    checkChainValue(chain, site, result)
    return result
  })
}

/** Taps both halves of a verifier; nothing (undefined or null) passes on to the next one. */
export function tapVerifier(hooks: TappedHooks, provider: ReadyPlugin, tools: TapTools): void {
  const pair = provider.hooks.verifier
  if (pair === undefined) return
  const plugin = provider.plugin.name
  const prepareSite = { plugin, hook: 'verifier.prepare' }
  hooks.verifierPrepare.tapPromise({ name: plugin }, async (task, context) => {
    const own = contextFor(context, prepareSite, tools)
    const stored = await tools.guard.call(prepareSite, context.signal, () => pair.prepare(task, own))
    if (stored !== undefined && stored !== null) checkStoredVerifier(prepareSite, stored)
    return stored ?? undefined
  })
  const judgeSite = { plugin, hook: 'verifier.judge' }
  hooks.verifierJudge.tapPromise({ name: plugin }, async (input, context) => {
    const own = contextFor(context, judgeSite, tools)
    const verdict = await tools.guard.call(judgeSite, context.signal, () => pair.judge(input, own))
    if (verdict !== undefined && verdict !== null) checkVerdict(judgeSite, verdict)
    return verdict ?? undefined
  })
}

/** The context with a random stream and a log of the plugin's own. The stream is made when it is first asked for. */
export function contextFor<Context extends HookContext>(
  context: Context,
  site: { readonly plugin: string; readonly hook: string },
  tools: TapTools,
): Context {
  let own: Context['random'] | undefined
  return {
    ...context,
    get random() {
      own ??= context.random.fork(site.hook, site.plugin)
      return own
    },
    log: (message: string) => tools.log(site.plugin, message),
  }
}
