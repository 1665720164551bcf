import type { LayerName, PipelineReport } from '../plugin/pipeline.ts'
import type { LoadedConfig } from './resolve-config.ts'
import type { ResolvedConfig } from './rlenv-config.ts'

/** A resolved configuration as run folders keep it and `rlenv config` prints it: JSON, without functions and secrets. */
export interface ResolvedConfigDocument {
  readonly command: string
  readonly config: Omit<ResolvedConfig, 'baseDirectory'>
  /** Weakest first. */
  readonly layers: readonly LayerName[]
  /** The layer that set each setting, by path. */
  readonly origins: Readonly<Record<string, LayerName>>
  readonly plugins: PipelineReport['plugins']
  readonly hooks: PipelineReport['hooks']
}

/** Everything that decided how a run behaves. Two runs with equal documents and artefacts behave equally. */
export function resolvedConfigDocument(loaded: LoadedConfig, report: PipelineReport): ResolvedConfigDocument {
  const { baseDirectory: _folder, file, ...settings } = loaded.config
  const named = loaded.layers.findLast((layer) => layer.file !== null && layer.file === file)
  return {
    command: loaded.command,
    // Absolute paths differ between machines; the layer's name is relative.
    config: { ...settings, file: named?.name ?? null },
    layers: loaded.layers.map(({ name }, index) => ({ index, name })),
    origins: loaded.origins,
    plugins: report.plugins,
    hooks: report.hooks,
  }
}
