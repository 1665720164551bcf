import type { Awaitable, PluginHooks } from './pipeline-hooks.ts'

/** What a plugin may use while it sets itself up. */
export interface SetupContext {
  /** Reads a secret that the options name; the value never reaches a log, a manifest or a trace. */
  secret(reference: SecretReference): string
  /** Writes one line to the run's log, under the plugin's name. */
  log(message: string): void
}

/** Names an environment variable that holds a secret. The only way a secret enters a configuration. */
export interface SecretReference {
  readonly $env: string
}

/** A configured plugin: what a configuration's `plugins` list holds. */
export interface Plugin {
  /** The npm package's name, or another unique label. */
  readonly name: string
  readonly version: string
  /** As the user wrote them; checked against the plugin's schema when the pipeline is assembled. */
  readonly options: unknown
  /** Checks the options and fills in defaults. @throws {RlenvError} RLENV_PLUGIN_OPTIONS */
  resolveOptions(): unknown
  /** Builds the hooks from resolved options. */
  setup(options: unknown, context: SetupContext): Awaitable<PluginHooks>
  /** The same plugin with other options, for `--set plugins.<name>.<option>=…`. */
  withOptions?(options: unknown): Plugin
}
