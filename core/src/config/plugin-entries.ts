import { RlenvError } from '../errors/rlenv-error.ts'
import type { Plugin } from '../hooks/plugin.ts'
import { isPlugin, isPluginFactory } from '../plugin/define-plugin.ts'
import { importModule } from './read-config-file.ts'
import { resolveModule } from './resolve-module.ts'

/**
 * The plugins that a configuration lists; packages are looked up from its folder, falsy entries are skipped.
 *
 * @param from - absolute path of the configuration file, or of any name inside its folder.
 * @throws {RlenvError} RLENV_PLUGIN_NOT_FOUND, RLENV_PLUGIN_INVALID
 */
export async function loadPlugins(entries: readonly unknown[], from: string): Promise<Plugin[]> {
  const plugins: Plugin[] = []
  for (const [index, entry] of entries.entries()) {
    if (entry === false || entry === null || entry === undefined) continue
    plugins.push(await loadPlugin(entry, `plugins[${index}] in ${from}`, from))
  }
  return plugins
}

async function loadPlugin(entry: unknown, place: string, from: string): Promise<Plugin> {
  if (isPlugin(entry)) return entry
  if (typeof entry === 'string') return fromPackage(entry, undefined, from)
  if (Array.isArray(entry) && typeof entry[0] === 'string') return fromPackage(entry[0], entry[1], from)
  if (typeof entry === 'function') {
    throw invalid(`${place} is a function, not a plugin`, 'Call it: write "()" behind its name in "plugins".')
  }
  throw invalid(
    `${place} is ${describe(entry)}, not a plugin`,
    'Use what a plugin factory returns, a package name, or [name, options].',
  )
}

async function fromPackage(name: string, options: unknown, from: string): Promise<Plugin> {
  const file = resolveModule(name, from)
  const factory = soleFactory(await importModule(file), name, file)
  const plugin: unknown = typeof factory === 'function' ? factory(options) : factory
  if (isPlugin(plugin)) return plugin
  throw invalid(`${name} does not make a plugin`, `Report it to the authors of ${name}: use definePlugin.`)
}

function soleFactory(
  module: Readonly<Record<string, unknown>>,
  name: string,
  file: string,
): Plugin | ((options?: unknown) => unknown) {
  const main = module.default
  if (isPluginFactory(main) || isPlugin(main)) return main
  const factories = Object.entries(module).filter(([, value]) => isPluginFactory(value))
  const [only, ...others] = factories.map(([, value]) => value).filter(isPluginFactory)
  if (only !== undefined && others.length === 0) return only
  const names = factories.map(([key]) => key)
  throw names.length === 0
    ? invalid(`${name} (${file}) exports no plugin`, 'Name a package that exports what definePlugin returns.')
    : invalid(
        `${name} exports several plugins: ${names.join(', ')}`,
        `Import the one you want in the configuration: import { ${names[0]} } from '${name}'.`,
      )
}

function describe(entry: unknown): string {
  if (Array.isArray(entry)) return 'a list without a name'
  return typeof entry === 'object'
    ? `an object with ${Object.keys(Object(entry)).join(', ') || 'nothing'}`
    : typeof entry
}

function invalid(message: string, fix: string): RlenvError {
  return new RlenvError(message, { code: 'RLENV_PLUGIN_INVALID', fix })
}
