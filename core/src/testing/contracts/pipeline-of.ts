import type { Plugin } from '../../hooks/plugin.ts'
import { type AssembledPipeline, assemblePipeline } from '../../plugin/assemble-pipeline.ts'

/** The real pipeline over the given plugins, so that a contract tests a plugin the way a run uses it. */
export function pipelineOf(...plugins: readonly Plugin[]): Promise<AssembledPipeline> {
  return assemblePipeline([{ name: 'contract', plugins }])
}
