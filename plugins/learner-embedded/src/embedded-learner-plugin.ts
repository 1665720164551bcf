import { definePlugin, type PluginFactory } from 'rlenv'
import { z } from 'zod'
import { EmbeddedLearner } from './learner/embedded-learner.ts'

export interface EmbeddedLearnerOptions {
  /** Step size of relational features. Default 0.04. */
  readonly learningRate?: number
  /** Step size of lexical features, which are many and rare. Default 0.004. */
  readonly lexicalLearningRate?: number
  /** Factor of the hand-set initial weights: how sure the policy is before it has learned anything. Default 1.5. */
  readonly scale?: number
  /** Number of weights, a power of two; half of them are for lexical features. Default 2^18. */
  readonly weights?: number
  /** Decay rates and floor of Adam. Default 0.9, 0.99 and 1e-4. */
  readonly optimizer?: { readonly beta1?: number; readonly beta2?: number; readonly epsilon?: number }
  /** Largest L2 norm of a step's gradient; null = no limit. Default null. */
  readonly maxGradNorm?: number | null
  /** Memory for features of rollouts that are about to be trained on, in MiB; 0 rebuilds all of them. Default 64. */
  readonly cacheMib?: number
}

const isPowerOfTwo = (value: number): boolean => value >= 1024 && Number.isInteger(Math.log2(value))

/**
 * A log-linear policy over decisions, with its learner, in process. A small model for tests, ablations and first runs;
 * it writes no text of its own.
 */
export const embeddedLearner: PluginFactory<EmbeddedLearnerOptions> = definePlugin({
  name: '@rlenv/learner-embedded',
  version: '0.1.0',
  options: z.strictObject({
    learningRate: z.number().gt(0).default(0.04),
    lexicalLearningRate: z.number().min(0).default(0.004),
    scale: z.number().min(0).default(1.5),
    weights: z
      .int()
      .refine(isPowerOfTwo, 'a power of two, 1024 or more')
      .default(2 ** 18),
    optimizer: z
      .strictObject({
        beta1: z.number().min(0).lt(1).default(0.9),
        beta2: z.number().min(0).lt(1).default(0.99),
        epsilon: z.number().gt(0).default(1e-4),
      })
      .prefault({}),
    maxGradNorm: z.number().gt(0).nullable().default(null),
    cacheMib: z.number().min(0).default(64),
  }),
  setup: ({ optimizer, cacheMib, ...settings }) => ({
    learner: () => new EmbeddedLearner({ ...settings, ...optimizer, cacheBytes: cacheMib * 2 ** 20 }),
  }),
})
