import type { Awaitable, PluginHooks } from './pipeline-hooks.ts'

/**
 * A value that was given away to be kept: in memory, or on disk where it would take too much of it. As JSON it is the value
 * itself.
 */
export interface Kept<Value> {
  /** The value, equal to what was kept but not always the same object. */
  read(): Value
  /** It is not needed any more. A snapshot of a handler's memory that was taken before still has it. */
  release(): void
  toJSON(): unknown
}

/** Where a plugin leaves what may grow large, such as past rollouts; `training.bufferMib` bounds what it takes in memory. */
export interface SpillBuffer {
  /**
   * Keeps plain data, which must not be changed afterwards, until it is released or the run ends. What is kept already
   * comes back as it is.
   */
  keep<Value>(value: Value | Kept<Value>): Kept<Value>
}

/** What a plugin may use while it sets itself up. */
export interface SetupContext {
  /** May be stored for later, unlike the rest of the context. */
  readonly buffer: SpillBuffer
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
