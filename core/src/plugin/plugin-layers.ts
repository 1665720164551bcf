import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Plugin } from '../hooks/plugin.ts'
import type { LayerName } from './pipeline.ts'

/** The plugins that one configuration lists. Layers are given weakest first. */
export interface PluginLayer {
  /** "core", a preset's name, or the configuration file's path. */
  readonly name: string
  readonly plugins: readonly Plugin[]
  /** Names of plugins of lower layers that shall not run. */
  readonly without?: readonly string[]
}

/** A plugin and the layer that decided on it. */
export interface PlacedPlugin {
  readonly plugin: Plugin
  readonly layer: LayerName
}

/** A plugin of a lower layer that a higher one left out. */
export interface RemovedPlugin extends PlacedPlugin {
  readonly by: LayerName
}

export interface MergedPlugins {
  /** In call order: lower layers first, within a layer as listed. */
  readonly plugins: readonly PlacedPlugin[]
  readonly removed: readonly RemovedPlugin[]
}

/**
 * The plugins that run. A plugin that a higher layer lists again keeps its place and takes the higher layer's options.
 *
 * @throws {RlenvError} RLENV_PLUGIN_INVALID for a name used twice in a layer or an unknown name in `without`.
 */
export function mergePluginLayers(layers: readonly PluginLayer[]): MergedPlugins {
  const active = new Map<string, PlacedPlugin>()
  const removed: RemovedPlugin[] = []
  for (const [index, layer] of layers.entries()) {
    const name: LayerName = { index, name: layer.name }
    for (const unwanted of layer.without ?? []) removed.push({ ...takeOut(active, unwanted, name), by: name })
    refuseDuplicates(layer)
    for (const plugin of layer.plugins) active.set(plugin.name, { plugin, layer: name })
  }
  return { plugins: [...active.values()], removed: removed.filter(({ plugin }) => !active.has(plugin.name)) }
}

function takeOut(active: Map<string, PlacedPlugin>, name: string, layer: LayerName): PlacedPlugin {
  const placed = active.get(name)
  if (placed === undefined) {
    const known = [...active.keys()]
    const list = known.length === 0 ? 'no plugin stands below it' : `the plugins below it are ${known.join(', ')}`
    throw new RlenvError(`"without" in ${layer.name} names "${name}", but ${list}`, {
      code: 'RLENV_PLUGIN_INVALID',
      fix: didYouMean(name, known) ?? `Take "${name}" out of "without".`,
    })
  }
  active.delete(name)
  return placed
}

function refuseDuplicates(layer: PluginLayer): void {
  const seen = new Set<string>()
  for (const { name } of layer.plugins) {
    if (seen.has(name)) {
      throw new RlenvError(`${layer.name} lists the plugin ${name} twice`, {
        code: 'RLENV_PLUGIN_INVALID',
        plugin: name,
        fix: `Keep one ${name} in "plugins".`,
      })
    }
    seen.add(name)
  }
}
