import { z } from 'zod'
import { RlenvError } from '../errors/rlenv-error.ts'
import { issueText, schemaIssues } from '../errors/schema-issues.ts'
import type { Awaitable, HookName, PluginHooks } from '../hooks/pipeline-hooks.ts'
import type { Plugin, SetupContext } from '../hooks/plugin.ts'

/** Makes a configured plugin. The argument may be left out only when every option has a default. */
export type PluginFactory<Options> =
  MayBeEmpty<Options> extends true ? (options?: Options) => Plugin : (options: Options) => Plugin

/** `z.object({})` is typed as a record without values, to which the empty object type is not assignable. */
type MayBeEmpty<Options> = string extends keyof Options ? true : Record<never, never> extends Options ? true : false

/** Turns every key that is no hook point into a compile error; TypeScript checks returned objects no other way. */
type KnownHooks<Hooks> = { readonly [Key in Exclude<keyof Hooks, HookName>]: never }

/** Of a plugin that has none: whatever is given to it is an error. */
const noOptions = z.strictObject({})

export interface PluginDefinition<Schema extends z.ZodType, Hooks extends object> {
  /** The npm package's name, or another label that is unique among a configuration's plugins. */
  readonly name: string
  /** The package's version; part of the key of everything the plugin makes. Default "0.0.0". */
  readonly version?: string
  /** Use `z.strictObject`, so that a misspelt option is an error. Default: the plugin has no options. */
  readonly options?: Schema
  /** Builds the handlers. Runs once, before anything else, with options checked and defaults filled in. */
  readonly setup: (
    options: z.output<Schema>,
    context: SetupContext,
  ) => Awaitable<PluginHooks & Hooks & KnownHooks<Hooks>>
}

/** Marks factories, so that a package named in a configuration can be searched for its one plugin. */
const factoryMark = Symbol.for('rlenv.plugin-factory')

/**
 * Defines a plugin and returns the factory that configurations call.
 *
 * @throws {RlenvError} RLENV_PLUGIN_INVALID when the name is empty, options are no schema, or setup is not there.
 */
export function definePlugin<Hooks extends object, Schema extends z.ZodType = typeof noOptions>(
  definition: PluginDefinition<Schema, Hooks>,
): PluginFactory<z.input<Schema>> {
  checkDefinition(definition)
  const { name, version = '0.0.0', options: schema = noOptions } = definition
  const create = (options: unknown = {}): Plugin => ({
    name,
    version,
    options,
    resolveOptions: () => resolveOptions(name, schema, options),
    setup: (resolved, context) => definition.setup(resolved as z.output<Schema>, context),
    withOptions: create,
  })
  return Object.defineProperty(create, factoryMark, { value: true }) as PluginFactory<z.input<Schema>>
}

/** Configurations in plain JavaScript have no compiler to tell them. */
function checkDefinition(definition: object): void {
  const { name, options, setup } = definition as { name?: unknown; options?: Partial<z.ZodType>; setup?: unknown }
  const refuse = (problem: string, fix: string) => new RlenvError(problem, { code: 'RLENV_PLUGIN_INVALID', fix })
  if (typeof name !== 'string' || name.trim() === '') {
    throw refuse('a plugin has an empty name', 'Give definePlugin the npm package\'s name as "name".')
  }
  if (options !== undefined && typeof options?.safeParse !== 'function') {
    throw refuse(
      `the options of the plugin ${name} are no zod schema`,
      'Give definePlugin "options: z.strictObject({ … })", or leave "options" out when there are none.',
    )
  }
  if (typeof setup !== 'function') {
    throw refuse(`the plugin ${name} has no setup`, 'Give definePlugin a "setup" function that returns its hooks.')
  }
}

/** Whether a value is what {@link definePlugin} returned, also from another copy of rlenv. */
export function isPluginFactory(value: unknown): value is (options?: unknown) => Plugin {
  return typeof value === 'function' && Reflect.get(value, factoryMark) === true
}

/** Whether a value can stand in a configuration's `plugins` list. */
export function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { name, version, resolveOptions: resolve, setup } = value as Partial<Plugin>
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof version === 'string' &&
    typeof resolve === 'function' &&
    typeof setup === 'function'
  )
}

function resolveOptions(name: string, schema: z.ZodType, options: unknown): unknown {
  const issues = schemaIssues(schema, options)
  if (issues.length === 0) return schema.parse(options)
  throw new RlenvError(`the options of ${name} do not fit: ${issues.map(issueText).join('; ')}`, {
    code: 'RLENV_PLUGIN_OPTIONS',
    plugin: name,
    fix: `Correct ${issues.map((issue) => `"${issue.path}"`).join(', ')} where ${name} is configured.`,
  })
}
