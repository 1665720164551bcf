import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import { type HookName, hookPoints, type PluginHooks } from '../hooks/pipeline-hooks.ts'
import type { SpillBuffer } from '../hooks/plugin.ts'
import type { Guard } from './guard.ts'
import type { PlacedPlugin } from './plugin-layers.ts'
import type { SecretVault } from './secrets.ts'

/** A plugin with its options checked and its handlers built. */
export interface ReadyPlugin extends PlacedPlugin {
  /** After defaults. */
  readonly options: unknown
  readonly hooks: PluginHooks
}

interface SetupTools {
  readonly guard: Guard
  readonly secrets: SecretVault
  readonly buffer: SpillBuffer
  readonly signal: AbortSignal
  readonly log: (plugin: string, message: string) => void
}

/**
 * Checks all options, then runs every `setup`, one after the other in call order.
 *
 * @throws {RlenvError} RLENV_PLUGIN_OPTIONS, RLENV_PLUGIN_INVALID, RLENV_SECRET_MISSING, or what a setup threw, attributed.
 */
export async function setUpPlugins(plugins: readonly PlacedPlugin[], tools: SetupTools): Promise<ReadyPlugin[]> {
  const checked = plugins.map((placed) => ({ ...placed, options: placed.plugin.resolveOptions() }))
  const ready: ReadyPlugin[] = []
  for (const { plugin, layer, options } of checked) {
    const context = {
      buffer: tools.buffer,
      secret: (reference: { readonly $env: string }) => tools.secrets.read(reference, plugin.name),
      log: (message: string) => tools.log(plugin.name, message),
    }
    const site = { plugin: plugin.name, hook: 'setup' }
    const hooks = await tools.guard.call<unknown>(site, tools.signal, () => plugin.setup(options, context))
    ready.push({ plugin, layer, options, hooks: checkHooks(plugin.name, hooks) })
  }
  return ready
}

function checkHooks(plugin: string, hooks: unknown): PluginHooks {
  if (typeof hooks !== 'object' || hooks === null) {
    throw invalid(plugin, `${plugin} returned no hooks from setup`, 'Return an object of hook points from setup.')
  }
  const filled = Object.entries(hooks).filter(([, handler]) => handler !== undefined)
  for (const [name, handler] of filled) {
    if (!Object.hasOwn(hookPoints, name)) {
      const hint = didYouMean(name, Object.keys(hookPoints))
      throw invalid(plugin, `${plugin} fills "${name}", which is no hook point`, hint ?? 'See docs/hooks.md.')
    }
    checkHandler(plugin, name as HookName, handler)
  }
  return Object.fromEntries(filled)
}

function checkHandler(plugin: string, hook: HookName, handler: unknown): void {
  const { kind } = hookPoints[hook]
  if (kind === 'pair') {
    for (const half of ['prepare', 'judge']) {
      if (typeof propertyOf(handler, half) === 'function') continue
      throw invalid(
        plugin,
        `the verifier of ${plugin} has no function "${half}"`,
        `Give the verifier a "${half}".`,
        hook,
      )
    }
    return
  }
  if (typeof handler === 'function') return
  if (kind !== 'chain' || typeof propertyOf(handler, 'handler') !== 'function') {
    throw invalid(plugin, `${plugin} fills ${hook} with something that is no function`, 'Give it a function.', hook)
  }
  checkPlacement(plugin, hook, handler)
}

function checkPlacement(plugin: string, hook: HookName, handler: unknown): void {
  const order = propertyOf(handler, 'order')
  if (order !== undefined && order !== 'pre' && order !== 'post') {
    throw invalid(plugin, `${plugin} asks for order "${String(order)}" on ${hook}`, 'Use "pre" or "post".', hook)
  }
  const flatGroups = propertyOf(handler, 'flatGroups')
  if (flatGroups !== undefined && flatGroups !== 'mend' && flatGroups !== 'drop') {
    const message = `${plugin} says of flat groups "${String(flatGroups)}" on ${hook}`
    throw invalid(plugin, message, 'Use "mend" or "drop", or leave flatGroups out.', hook)
  }
  const placed = order !== undefined || propertyOf(handler, 'before') !== undefined
  if (propertyOf(handler, 'base') === true && placed) {
    const message = `${plugin} is the base of ${hook}, which runs first, and also asks for "order" or "before"`
    throw invalid(plugin, message, 'Keep either "base" or the other two.', hook)
  }
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function invalid(plugin: string, message: string, fix: string, hook?: HookName): RlenvError {
  return new RlenvError(message, { code: 'RLENV_PLUGIN_INVALID', plugin, fix, ...(hook === undefined ? {} : { hook }) })
}
