import { dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from '../hooks/plugin.ts'
import type { LayerName } from '../plugin/pipeline.ts'
import { type ConfigSettings, configDefaults } from './config-defaults.ts'
import { type ConfigLayer, type ConfigOrigin, collectLayers } from './config-layers.ts'
import { settingPaths } from './config-schema.ts'
import type { ConfigFunction } from './define-config.ts'
import { checkSizes } from './describe-sizes.ts'
import { findConfigFile } from './find-config-file.ts'
import { readConfigFile } from './read-config-file.ts'
import type { ResolvedConfig, RlenvConfig } from './rlenv-config.ts'
import { setLayer } from './set-flags.ts'

export interface ResolveOptions {
  /** The command that asks, for configurations in function form. */
  readonly command: string
  /** Folder that relative names start from when there is no file. Default: the process's. */
  readonly cwd?: string
  /** A layer above the file and below `set`, for example an arm of an ablation. */
  readonly overlay?: RlenvConfig
  /** Words of `--set`, `path=value` each. */
  readonly set?: readonly string[]
  /** Plugins of the lowest layer. Default: none. */
  readonly core?: readonly Plugin[]
}

export interface LoadOptions extends ResolveOptions {
  /** The file to load. Default: the nearest `rlenv.config.*`. */
  readonly file?: string
}

/** A configuration with all its layers merged, and who decided what. */
export interface LoadedConfig {
  readonly config: ResolvedConfig
  /** Weakest first; the core's is the first, `--set` the last. Goes into `assemblePipeline` as it is. */
  readonly layers: readonly ConfigLayer[]
  /** The layer that set each setting, by path ("training.steps"); the core's for defaults. */
  readonly origins: Readonly<Record<string, LayerName>>
  readonly command: string
}

/**
 * Finds and loads a configuration file and everything it extends.
 *
 * @throws {RlenvError} RLENV_CONFIG_NOT_FOUND, RLENV_CONFIG_FAILED, RLENV_CONFIG_INVALID, RLENV_CONFIG_CYCLE,
 * RLENV_PLUGIN_NOT_FOUND, RLENV_PLUGIN_INVALID, RLENV_GROUP_TOO_SMALL, RLENV_USAGE
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const cwd = resolve(options.cwd ?? process.cwd())
  const file = await findConfigFile(options.file, cwd)
  const name = (relative(cwd, file).startsWith('..') ? file : relative(cwd, file)).replaceAll('\\', '/')
  return resolveLayers(await readConfigFile(file), { file, from: file, name }, options)
}

/** Resolves a configuration that a program holds in its hands. @throws {RlenvError} as {@link loadConfig} does. */
export async function resolveConfig(
  config: RlenvConfig | ConfigFunction,
  options: ResolveOptions,
): Promise<LoadedConfig> {
  const cwd = resolve(options.cwd ?? process.cwd())
  return resolveLayers(config, { file: null, from: join(cwd, 'rlenv.config.ts'), name: 'config' }, options)
}

async function resolveLayers(exported: unknown, origin: ConfigOrigin, options: ResolveOptions): Promise<LoadedConfig> {
  const { command, overlay, set = [], core = [] } = options
  const coreLayer: ConfigLayer = { name: 'core', file: null, plugins: core, without: [], settings: {} }
  const written = [coreLayer, ...(await collectLayers(exported, origin, { command }))]
  if (overlay !== undefined) {
    const above = { file: null, from: origin.from, name: overlay.name ?? 'overlay' }
    written.push(...(await collectLayers(overlay, above, { command })))
  }
  const layers = set.length === 0 ? written : [...written, setLayer(set, written)]
  const { settings, origins } = mergeSettings(layers)
  const config = { ...settings, baseDirectory: dirname(origin.from), file: origin.file }
  checkSizes(config)
  return { config, layers, origins, command }
}

type Tree = Record<string, unknown>

/** Higher layers win setting by setting; a list is replaced as a whole. */
function mergeSettings(layers: readonly ConfigLayer[]): Pick<LoadedConfig, 'origins'> & { settings: ConfigSettings } {
  const settings = structuredClone(configDefaults) as unknown as Tree
  const origins: Record<string, LayerName> = {}
  for (const path of settingPaths) {
    const index = layers.findLastIndex((layer) => valueAt(layer.settings, path) !== undefined)
    origins[path] = { index: Math.max(index, 0), name: layers[Math.max(index, 0)]?.name ?? 'core' }
    const chosen = layers[index]
    if (chosen !== undefined) write(settings, path, valueAt(chosen.settings, path))
  }
  return { settings: settings as unknown as ConfigSettings, origins }
}

function valueAt(root: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value === undefined ? value : Reflect.get(Object(value), key)), root)
}

function write(tree: Tree, path: string, value: unknown): void {
  const [first = '', second] = path.split('.')
  if (second === undefined) tree[first] = value
  else (tree[first] as Tree)[second] = value
}
