import { createRequire } from 'node:module'
import { definePlugin, type PluginFactory } from 'rlenv'
import { z } from 'zod'
import { WeightedDraws } from './weighted-draws.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface AdaptiveSamplerOptions {
  /** How many of a task's latest groups decide about its weight. Default 6. */
  readonly window?: number
  /** Least weight of a task, as a share of the largest one, above 0. Default 0.1. */
  readonly floor?: number
  /**
   * Which ties lower a weight: those in which every rollout passed ("passed"), or any ("all"). A tie in which every
   * rollout failed may be a task that the policy is about to learn. Default "passed".
   */
  readonly ties?: 'passed' | 'all'
}

/**
 * Draws a task more often while the rewards of its latest groups differed and less often once they tied, with a floor
 * for every task. A task comes once per call of `draw` while there are others. Source: AgileRL, "Arena" (2026), adaptive
 * task sampling; which ties count was measured on the embedded learner, see `docs/papers/arena.md`.
 */
export const adaptiveSampler: PluginFactory<AdaptiveSamplerOptions> = definePlugin({
  name: '@rlenv/sampler-adaptive',
  version,
  options: z.strictObject({
    window: z.int().min(1).default(6),
    floor: z.number().gt(0).max(1).default(0.1),
    ties: z.enum(['passed', 'all']).default('passed'),
  }),
  setup: (options) => ({
    sampler: ({ tasks, random }) => {
      return new WeightedDraws(
        tasks.map(({ id }) => id),
        random,
        options,
      )
    },
  }),
})
