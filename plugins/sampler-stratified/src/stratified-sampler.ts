import { createRequire } from 'node:module'
import { definePlugin, type PluginFactory } from 'rlenv'
import { z } from 'zod'
import { sharesOf, strataOf } from './strata.ts'
import { StratifiedDraws } from './stratified-draws.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface StratifiedSamplerOptions {
  /** What a stratum is. Default "taxonomy". */
  readonly by?: 'taxonomy' | 'difficulty' | 'kind' | 'environment'
  /** With "taxonomy", how many levels of the path tell strata apart, from the root. Default 1. */
  readonly depth?: number
  /** With "difficulty", into how many equal bands 0 to 1 is cut. Default 5. */
  readonly difficultyBands?: number
  /** Weight per stratum; one that is not named weighs 1. Default: all strata weigh the same, however many tasks they have. */
  readonly weights?: Readonly<Record<string, number>>
}

/**
 * Draws every stratum of the tasks by a share of its own, so that a large one does not crowd out the others. Source: the
 * stratified arena of Agent-World (5 environments of each of 20 categories), arXiv:2604.18292.
 */
export const stratifiedSampler: PluginFactory<StratifiedSamplerOptions> = definePlugin({
  name: '@rlenv/sampler-stratified',
  version,
  options: z.strictObject({
    by: z.enum(['taxonomy', 'difficulty', 'kind', 'environment']).default('taxonomy'),
    depth: z.int().min(1).default(1),
    difficultyBands: z.int().min(1).default(5),
    weights: z.record(z.string(), z.number().min(0)).default({}),
  }),
  setup: ({ weights, ...options }) => ({
    sampler: ({ tasks, environments, random }) => {
      const strata = strataOf(tasks, environments, options)
      return new StratifiedDraws(strata, sharesOf(strata, weights), random)
    },
  }),
})
