import { createRequire } from 'node:module'
import { definePlugin, type PluginFactory } from 'rlenv'
import { z } from 'zod'
import { IndependentDraws } from './independent-draws.ts'
import { ShuffledPasses } from './shuffled-passes.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface UniformSamplerOptions {
  /** Draw every task independently instead of once per shuffled pass. Default false. */
  readonly replacement?: boolean
}

/** Draws every task equally often: shuffled passes over all tasks, none twice before all came once. */
export const uniformSampler: PluginFactory<UniformSamplerOptions> = definePlugin({
  name: '@rlenv/sampler-uniform',
  version,
  options: z.strictObject({ replacement: z.boolean().default(false) }),
  setup: ({ replacement }) => ({
    sampler: ({ tasks, random }) => {
      const ids = tasks.map(({ id }) => id)
      return replacement ? new IndependentDraws(ids, random) : new ShuffledPasses(ids, random)
    },
  }),
})
