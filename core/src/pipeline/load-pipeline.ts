import { resolve } from 'node:path'
import { type ResolvedConfigDocument, resolvedConfigDocument } from '../config/config-document.ts'
import type { ConfigFunction } from '../config/define-config.ts'
import { type LoadedConfig, loadConfig, resolveConfig } from '../config/resolve-config.ts'
import type { ResolvedConfig, RlenvConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import { type AssembledPipeline, assemblePipeline } from '../plugin/assemble-pipeline.ts'
import type { PipelineRecipe } from '../plugin/pipeline.ts'
import { SecretVault } from '../plugin/secrets.ts'
import { createEventBus } from '../telemetry/event-bus.ts'
import type { EventSink, RunEvent } from '../telemetry/run-event.ts'
import { corePlugins } from './core-plugins.ts'
import { recipeOf } from './pipeline-recipe.ts'

export interface LoadPipelineOptions {
  /** A configuration in memory. Default: the file. */
  readonly config?: RlenvConfig | ConfigFunction
  /** Path of the configuration file. Default: the nearest `rlenv.config.*`. */
  readonly file?: string
  /** Folder that the search and relative paths start from. Default: the process's. */
  readonly cwd?: string
  /** The command that asks. */
  readonly command: string
  /** A layer above the file and below `set`. It exists in this thread only. */
  readonly overlay?: RlenvConfig
  /** Words of `--set`, `path=value` each. */
  readonly set?: readonly string[]
  /** Hears every event: what goes through `emit` and what the pipeline itself announces. */
  readonly events?: EventSink
  /** Takes the lines that plugins log, secrets taken out. Default: nothing is written. */
  readonly log?: (plugin: string, message: string) => void
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly secrets?: SecretVault
}

/** A configuration, resolved, with its plugins set up. */
export interface LoadedPipeline {
  readonly config: ResolvedConfig
  readonly pipeline: AssembledPipeline
  readonly loaded: LoadedConfig
  /** Tells the caller's sink and the watchers. Never throws. */
  readonly emit: EventSink
  /** Takes the values of secrets that plugins read out of a text. */
  readonly redact: (text: string) => string
  /** For `config.resolved.json`. */
  describe(): ResolvedConfigDocument
}

/**
 * Loads a configuration and sets its plugins up, with the core's own below them.
 *
 * @throws {RlenvError} everything that `loadConfig` and `assemblePipeline` throw.
 */
export async function loadPipeline(options: LoadPipelineOptions): Promise<LoadedPipeline> {
  const loaded = await load(options)
  const { config } = loaded
  const secrets = options.secrets ?? new SecretVault()
  const log = options.log ?? (() => undefined)
  const bus = createEventBus((error: unknown, event: RunEvent) =>
    log('rlenv', `a sink of ${event.type} failed: ${String(error)}`),
  )
  if (options.events !== undefined) bus.subscribe(options.events)
  const pipeline = await assemblePipeline(loaded.layers, {
    command: options.command,
    watchdog: config.watchdog,
    secrets,
    log,
    events: bus.emit,
    recipe: recipe(options, config, log),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
  return {
    config,
    pipeline,
    loaded,
    emit: (event) => {
      bus.emit(event)
      pipeline.emit(event)
    },
    redact: (text) => secrets.redact(text),
    describe: () => resolvedConfigDocument(loaded, pipeline.report),
  }
}

/** A configuration in memory exists in this thread only. */
function recipe(
  { command, cwd = process.cwd(), overlay, set = [] }: LoadPipelineOptions,
  { file }: ResolvedConfig,
  log: PipelineRecipe['log'],
): PipelineRecipe | null {
  return file === null || overlay !== undefined ? null : recipeOf({ file, cwd: resolve(cwd), command, set }, log)
}

function load({ config, file, cwd, command, overlay, set }: LoadPipelineOptions): Promise<LoadedConfig> {
  const shared = {
    command,
    core: corePlugins(),
    ...(cwd === undefined ? {} : { cwd }),
    ...(overlay === undefined ? {} : { overlay }),
    ...(set === undefined ? {} : { set }),
  }
  if (config !== undefined) return resolveConfig(config, shared)
  return loadConfig({ ...shared, ...(file === undefined ? {} : { file }) })
}
