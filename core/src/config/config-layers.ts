import { dirname, relative } from 'node:path'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { PluginLayer } from '../plugin/plugin-layers.ts'
import { checkConfig } from './config-issues.ts'
import { loadedInTime } from './load-deadline.ts'
import { loadPlugins } from './plugin-entries.ts'
import { importModule, loadFailure, readConfigFile } from './read-config-file.ts'
import { isPath, resolveModule } from './resolve-module.ts'
import type { ConfigEnvironment, RlenvConfig } from './rlenv-config.ts'

/** One configuration of the chain that `extends` makes. */
export interface ConfigLayer extends PluginLayer {
  /** Absolute path; null for what a preset returned or a program passed. */
  readonly file: string | null
  /** As it was written, plugins and `extends` aside. */
  readonly settings: RlenvConfig
}

/** A configuration and where it came from. */
export interface ConfigOrigin {
  /** Null for a configuration in memory. */
  readonly file: string | null
  /** Absolute path that relative names start from: the file itself, or a name inside the working folder. */
  readonly from: string
  /** For layers and errors. */
  readonly name: string
}

/**
 * Follows `extends` to its ends and lists every configuration on the way, weakest first.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID, RLENV_CONFIG_FAILED, RLENV_CONFIG_CYCLE, RLENV_PLUGIN_NOT_FOUND,
 * RLENV_PLUGIN_INVALID
 */
export async function collectLayers(
  exported: unknown,
  origin: ConfigOrigin,
  environment: ConfigEnvironment,
): Promise<ConfigLayer[]> {
  const layers: ConfigLayer[] = []
  await new LayerWalk(environment, dirname(origin.from), layers).visit(exported, origin, [])
  return layers
}

/** A configuration that is being followed: what tells it from others, and its name for people. */
interface Step {
  readonly identity: unknown
  readonly name: string
}

class LayerWalk {
  readonly #environment: ConfigEnvironment
  /** Names of files are relative to it. */
  readonly #folder: string
  readonly #layers: ConfigLayer[]
  readonly #done = new Set<unknown>()

  constructor(environment: ConfigEnvironment, folder: string, layers: ConfigLayer[]) {
    this.#environment = environment
    this.#folder = folder
    this.#layers = layers
  }

  /** Adds what a configuration extends, then itself; one that was met before stays where it is. */
  async visit(exported: unknown, origin: ConfigOrigin, trail: readonly Step[]): Promise<void> {
    const step = { identity: origin.file ?? exported, name: origin.name }
    refuseCycle(step, trail)
    if (this.#done.has(step.identity)) return
    const config = await evaluate(exported, origin, this.#environment)
    checkConfig(config, origin.name)
    for (const source of asList(config.extends)) await this.#extend(source, origin, [...trail, step])
    this.#done.add(step.identity)
    this.#layers.push({
      name: origin.name,
      file: origin.file,
      plugins: await loadPlugins(config.plugins ?? [], origin.from),
      without: config.without ?? [],
      settings: config,
    })
  }

  async #extend(source: unknown, parent: ConfigOrigin, trail: readonly Step[]): Promise<void> {
    if (typeof source !== 'string') {
      const name = presetName(source)
      return this.visit(source, { file: null, from: parent.from, name }, trail)
    }
    const file = resolveModule(source, parent.from)
    const origin = {
      file,
      from: file,
      name: isPath(source) ? relative(this.#folder, file).replaceAll('\\', '/') : source,
    }
    refuseCycle({ identity: file, name: origin.name }, trail)
    await this.visit(await exportedBy(source, file), origin, trail)
  }
}

/** What the file or package that `extends` names exports; a preset package exports a function that makes it. */
async function exportedBy(source: string, file: string): Promise<unknown> {
  if (isPath(source)) return readConfigFile(file)
  const module = await importModule(file)
  if ('default' in module) return module.default
  const functions = Object.values(module).filter((value) => typeof value === 'function')
  if (functions.length === 1) return functions[0]
  throw new RlenvError(`the preset ${source} has no default export and ${functions.length} functions`, {
    code: 'RLENV_CONFIG_FAILED',
    fix: `Import the preset and call it: extends: preset().`,
  })
}

async function evaluate(exported: unknown, origin: ConfigOrigin, environment: ConfigEnvironment): Promise<RlenvConfig> {
  const config = await loadedInTime(called(exported, origin, environment), origin.name)
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config
  const kind = config === null ? 'null' : Array.isArray(config) ? 'a list' : typeof config
  throw new RlenvError(`${origin.name} exports ${kind}, not a configuration`, {
    code: 'RLENV_CONFIG_FAILED',
    fix: 'Export an object, or a function that returns one: export default defineConfig({ ... }).',
  })
}

async function called(exported: unknown, origin: ConfigOrigin, environment: ConfigEnvironment): Promise<unknown> {
  try {
    return await (typeof exported === 'function' ? exported(environment) : exported)
  } catch (error) {
    throw loadFailure(error, origin.file ?? origin.name)
  }
}

function refuseCycle(step: Step, trail: readonly Step[]): void {
  const start = trail.findIndex((earlier) => earlier.identity === step.identity)
  if (start === -1) return
  const names = [...trail.slice(start), step].map(({ name }) => name)
  throw new RlenvError(`configurations extend each other in a circle: ${names.join(' → ')}`, {
    code: 'RLENV_CONFIG_CYCLE',
    fix: `Take "${step.name}" out of "extends" in ${trail.at(-1)?.name}.`,
  })
}

function presetName(source: unknown): string {
  const name: unknown = typeof source === 'object' && source !== null ? Reflect.get(source, 'name') : undefined
  return typeof name === 'string' && name !== '' ? name : 'preset'
}

function asList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}
