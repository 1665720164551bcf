import { didYouMean } from '../errors/near-names.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import { schemaIssues } from '../errors/schema-issues.ts'
import type { Plugin } from '../hooks/plugin.ts'
import { mergePluginLayers } from '../plugin/plugin-layers.ts'
import { checkConfig } from './config-issues.ts'
import type { ConfigLayer } from './config-layers.ts'
import { configSchema } from './config-schema.ts'
import type { RlenvConfig } from './rlenv-config.ts'

/** One `--set path=value`. */
interface Assignment {
  readonly path: string
  readonly text: string
}

type Tree = { [key: string]: unknown }

/**
 * The layer that `--set` adds above all others: settings by path, and plugins with changed options as
 * `plugins.<name>.<option>=<value>`. A value is JSON when it parses, text otherwise.
 *
 * @throws {RlenvError} RLENV_USAGE for a malformed word, RLENV_CONFIG_INVALID for a path or value that does not fit,
 * RLENV_PLUGIN_INVALID for a plugin that is not there.
 */
export function setLayer(words: readonly string[], below: readonly ConfigLayer[]): ConfigLayer {
  const settings: Tree = {}
  const plugins = new Map<string, Plugin>()
  const active = mergePluginLayers(below).plugins.map(({ plugin }) => plugin)
  for (const assignment of words.map(parseWord)) {
    if (assignment.path.startsWith('plugins.')) {
      const changed = changedPlugin(assignment, [...active, ...plugins.values()])
      plugins.set(changed.name, changed)
    } else setAt(settings, assignment.path.split('.'), settingValue(assignment))
  }
  checkConfig(settings, '--set')
  const { without = [] } = settings as RlenvConfig
  return { name: '--set', file: null, plugins: [...plugins.values()], without, settings }
}

function parseWord(word: string): Assignment {
  const cut = word.indexOf('=')
  const path = word.slice(0, cut).trim()
  if (path === 'plugins' || path === 'extends') {
    throw new RlenvError(`--set cannot change "${path}" as a whole`, {
      code: 'RLENV_USAGE',
      fix: 'Change it in the configuration file; --set plugins.<name>.<option>=value changes one option.',
    })
  }
  if (cut > 0 && path !== '' && !path.split('.').includes('')) return { path, text: word.slice(cut + 1) }
  throw new RlenvError(`--set got "${word}"`, {
    code: 'RLENV_USAGE',
    fix: 'Write it as path=value, for example --set training.steps=10.',
  })
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so it is what it looks like.
    return text
  }
}

/** A setting that takes text keeps "7" as text. */
function settingValue({ path, text }: Assignment): unknown {
  const value = parseValue(text)
  const keys = path.split('.')
  const fits = (candidate: unknown) => schemaIssues(configSchema, setAt({}, keys, candidate)).length === 0
  return !fits(value) && fits(text) ? text : value
}

function setAt(tree: Tree, keys: readonly string[], value: unknown): Tree {
  const [key, ...rest] = keys
  if (key === undefined) return tree
  if (rest.length === 0) Object.defineProperty(tree, key, plainProperty(value))
  else {
    const inner = Object.hasOwn(tree, key) ? tree[key] : undefined
    const child: Tree = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {}
    Object.defineProperty(tree, key, plainProperty(setAt(child, rest, value)))
  }
  return tree
}

/** Own properties only: a path through `__proto__` must not reach the prototype. */
function plainProperty(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}

function changedPlugin({ path, text }: Assignment, plugins: readonly Plugin[]): Plugin {
  const target = path.slice('plugins.'.length)
  const found = plugins
    .flatMap((plugin) => callNames(plugin.name).map((name) => ({ plugin, name })))
    .filter(({ name }) => target.startsWith(`${name}.`))
    .toSorted((a, b) => a.name.length - b.name.length)
    .at(-1)
  if (found === undefined) throw unknownPlugin(target, plugins)
  const option = target.slice(found.name.length + 1)
  const { plugin } = found
  if (plugin.withOptions === undefined) {
    throw new RlenvError(`${plugin.name} takes no options from --set`, {
      code: 'RLENV_PLUGIN_INVALID',
      plugin: plugin.name,
      fix: `Set "${option}" in the configuration file, where ${plugin.name} is made.`,
    })
  }
  const changed = (value: unknown) =>
    plugin.withOptions?.(setAt({ ...Object(plugin.options) }, option.split('.'), value)) ?? plugin
  const typed = changed(parseValue(text))
  return !accepts(typed) && accepts(changed(text)) ? changed(text) : typed
}

/** A plugin's own name, and without its scope or prefix. */
function callNames(name: string): string[] {
  const short = name.replace(/^@[^/]+\//, '').replace(/^rlenv-plugin-/, '')
  return short === name ? [name] : [name, short]
}

function accepts(plugin: Plugin): boolean {
  try {
    plugin.resolveOptions()
    return true
  } catch (error) {
    // The error is reported when the pipeline is assembled; here only the fit matters.
    return messageOf(error) === ''
  }
}

function unknownPlugin(target: string, plugins: readonly Plugin[]): RlenvError {
  const known = plugins.map(({ name }) => name)
  const wanted = target.includes('.') ? target.slice(0, target.lastIndexOf('.')) : target
  return new RlenvError(`--set plugins.${target} names no plugin of this configuration`, {
    code: 'RLENV_PLUGIN_INVALID',
    fix: didYouMean(wanted, known) ?? `Name one of ${known.join(', ') || 'the plugins, of which there are none'}.`,
  })
}
