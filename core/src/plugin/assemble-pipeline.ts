import { SpillStore } from '../artifacts/spill-store.ts'
import { type Clock, systemClock } from '../determinism/clock.ts'
import type { HookContext, JudgeInput, VerifierContext } from '../hooks/contexts.ts'
import {
  type ChainName,
  type HandlerMemory,
  type HookName,
  hookPoints,
  type SlotName,
  type TappedHooks,
} from '../hooks/pipeline-hooks.ts'
import type { EventSink, RunEvent } from '../telemetry/run-event.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { StoredVerifier, Task } from '../vocabulary/task.ts'
import { chainMemory } from './chain-memory.ts'
import { emptyHooks } from './empty-hooks.ts'
import { Guard, type HookTiming } from './guard.ts'
import type { ChainTypes, Pipeline, PipelineRecipe, PipelineReport, SlotTypes } from './pipeline.ts'
import { buildReport, type FilledHook } from './pipeline-report.ts'
import { plainOptions } from './plain-options.ts'
import { mergePluginLayers, type PluginLayer, type RemovedPlugin } from './plugin-layers.ts'
import { attributedRole, checkRole } from './roles.ts'
import { SecretVault } from './secrets.ts'
import { type ReadyPlugin, setUpPlugins } from './set-up-plugins.ts'
import { soleProvider } from './sole-provider.ts'
import { orderChain } from './tap-order.ts'
import { type ChainHook, contextFor, createTappedHooks, type TapTools, tapChain, tapVerifier } from './tapped-hooks.ts'
import { defaultWatchdog, Watchdog, type WatchdogLimits } from './watchdog.ts'
import { Watchers } from './watchers.ts'

export interface PipelineOptions {
  /** Named in the error for an empty hook point. Default null: no command. */
  readonly command?: string | null
  /** Ends plugins' setup. */
  readonly signal?: AbortSignal
  /** Hears what the pipeline itself announces: `waiting`. Do not pass the pipeline's own `emit`; watchers hear it anyway. */
  readonly events?: EventSink
  /** Takes the lines that plugins log. Default: nothing is written. */
  readonly log?: (plugin: string, message: string) => void
  readonly clock?: Clock
  readonly watchdog?: WatchdogLimits
  readonly secrets?: SecretVault
  /** Default null. */
  readonly recipe?: PipelineRecipe | null
}

/** A {@link Pipeline} with what its owner needs besides. */
export interface AssembledPipeline extends Pipeline {
  /** How often each plugin was called and how long that took. */
  timings(): readonly HookTiming[]
  /** Resolves when the watchers have dealt with every event so far, or after `ms` (default 5000). */
  drain(ms?: number): Promise<void>
}

/**
 * Checks, sets up and taps the plugins of all layers, weakest layer first.
 *
 * @throws {RlenvError} RLENV_PLUGIN_INVALID, RLENV_PLUGIN_OPTIONS, RLENV_SLOT_CONFLICT, RLENV_SECRET_MISSING, or what a
 * plugin's setup threw, attributed.
 */
export async function assemblePipeline(
  layers: readonly PluginLayer[],
  options: PipelineOptions = {},
): Promise<AssembledPipeline> {
  const { plugins, removed } = mergePluginLayers(layers)
  const secrets = options.secrets ?? new SecretVault()
  const log = (plugin: string, message: string) => options.log?.(plugin, secrets.redact(message))
  const hooks = createTappedHooks()
  const watchers = new Watchers(hooks.watch, log)
  const announce = (event: RunEvent) => {
    options.events?.(event)
    watchers.emit(event)
  }
  const guard = new Guard(new Watchdog(options.watchdog ?? defaultWatchdog, options.clock ?? systemClock, announce))
  const signal = options.signal ?? new AbortController().signal
  const buffer = new SpillStore()
  const ready = await setUpPlugins(plugins, { guard, secrets, buffer, signal, log })
  const filled = tapAll(hooks, ready, watchers, { guard, log })
  const { command = null, recipe = null } = options
  return new TappedPipeline({ hooks, filled, ready, removed, buffer, watchers, guard, log, command, recipe })
}

function tapAll(
  hooks: TappedHooks,
  ready: readonly ReadyPlugin[],
  watchers: Watchers,
  tools: TapTools,
): ReadonlyMap<HookName, FilledHook> {
  const fill = (hook: HookName): FilledHook => {
    const providers = ready.filter((provider) => provider.hooks[hook] !== undefined)
    switch (hookPoints[hook].kind) {
      case 'chain':
        return tapWholeChain(hooks, hook as ChainName, ready, tools)
      case 'slot': {
        const { winner, replaced } = soleProvider(hook, providers)
        return { plugins: winner === undefined ? [] : [winner], replaced }
      }
      case 'pair':
        return tapVerifiers(hooks, providers, tools)
      case 'watch':
        for (const provider of providers) watchers.tap(provider)
        return { plugins: providers, replaced: [] }
    }
  }
  return new Map((Object.keys(hookPoints) as HookName[]).map((hook) => [hook, fill(hook)]))
}

/** The first answer wins, so a higher layer's verifier is asked first. */
function tapVerifiers(hooks: TappedHooks, providers: readonly ReadyPlugin[], tools: TapTools): FilledHook {
  const asked = providers.toSorted((a, b) => b.layer.index - a.layer.index)
  for (const provider of asked) tapVerifier(hooks, provider, tools)
  return { plugins: asked, replaced: [] }
}

function tapWholeChain(
  hooks: TappedHooks,
  chain: ChainName,
  ready: readonly ReadyPlugin[],
  tools: TapTools,
): FilledHook {
  const { taps, replaced } = orderChain(chain, ready)
  for (const tap of taps) tapChain(hooks[chain] as unknown as ChainHook, chain, tap, tools)
  return { plugins: taps.map((tap) => tap.provider), replaced }
}

interface PipelineParts extends TapTools {
  readonly hooks: TappedHooks
  readonly filled: ReadonlyMap<HookName, FilledHook>
  readonly ready: readonly ReadyPlugin[]
  readonly removed: readonly RemovedPlugin[]
  readonly buffer: SpillStore
  readonly watchers: Watchers
  readonly command: string | null
  readonly recipe: PipelineRecipe | null
}

class TappedPipeline implements AssembledPipeline {
  readonly report: PipelineReport
  readonly recipe: PipelineRecipe | null
  readonly emit: EventSink
  readonly memory: HandlerMemory
  readonly buffer: SpillStore
  readonly #parts: PipelineParts

  constructor(parts: PipelineParts) {
    this.#parts = parts
    this.recipe = parts.recipe
    this.buffer = parts.buffer
    this.report = buildReport(parts.filled, parts.ready)
    this.memory = chainMemory(parts.filled.get('groups')?.plugins ?? [])
    this.emit = (event) => parts.watchers.emit(event)
  }

  require(hooks: readonly HookName[]): void {
    const empty = hooks.filter((hook) => !this.has(hook))
    if (empty.length > 0) throw emptyHooks(empty, this.#parts.command, this.#parts.removed)
  }

  has(hook: HookName): boolean {
    return this.#providers(hook).length > 0
  }

  chain<Name extends ChainName>(
    name: Name,
    value: ChainTypes[Name]['value'],
    context: ChainTypes[Name]['context'],
  ): Promise<ChainTypes[Name]['value']> {
    const hook = this.#parts.hooks[name] as unknown as ChainHook
    return hook.promise(value, context) as Promise<ChainTypes[Name]['value']>
  }

  async prepareVerifier(task: Task, context: VerifierContext): Promise<StoredVerifier> {
    const stored = await this.#parts.hooks.verifierPrepare.promise(task, context)
    if (stored === undefined) throw emptyHooks(['verifier'], this.#parts.command, this.#parts.removed)
    return stored
  }

  judge(input: JudgeInput, context: HookContext): Promise<Verdict | undefined> {
    return this.#parts.hooks.verifierJudge.promise(input, context)
  }

  async slot<Name extends SlotName>(name: Name, context: SlotTypes[Name]['context']): Promise<SlotTypes[Name]['role']> {
    this.require([name])
    const [provider] = this.#providers(name)
    const build = provider?.hooks[name] as (own: HookContext) => unknown
    const site = { plugin: provider?.plugin.name ?? name, hook: name }
    const own = contextFor(context, site, this.#parts)
    const role = await this.#parts.guard.call(site, context.signal, () => build(own))
    const roleSite = { slot: name, plugin: site.plugin }
    checkRole(role, roleSite)
    return attributedRole(role, roleSite, this.#parts.guard) as SlotTypes[Name]['role']
  }

  producers(hook: HookName): readonly { readonly name: string; readonly version: string; readonly options: unknown }[] {
    return this.#providers(hook).map(({ plugin, options }) => ({
      name: plugin.name,
      version: plugin.version,
      options: plainOptions(options),
    }))
  }

  timings(): readonly HookTiming[] {
    return this.#parts.guard.timings()
  }

  drain(ms = 5000): Promise<void> {
    return this.#parts.watchers.drain(ms)
  }

  #providers(hook: HookName): readonly ReadyPlugin[] {
    return this.#parts.filled.get(hook)?.plugins ?? []
  }
}
