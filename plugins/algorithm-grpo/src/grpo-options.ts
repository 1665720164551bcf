import { z } from 'zod'

export interface GrpoOptions {
  /** What a centred reward is divided by: "std-population", "std-sample" or "none". Default "std-population". */
  readonly normalize?: 'std-population' | 'std-sample' | 'none'
  /** Added to the standard deviation, in reward units. Default 1e-6. */
  readonly epsilon?: number
  /** "token-mean", "sequence-mean" or "dr-grpo"; over one optimiser step. Default "sequence-mean", as the GRPO paper. */
  readonly aggregation?: 'token-mean' | 'sequence-mean' | 'dr-grpo'
  /** Constant sequence length, in actions; required for "dr-grpo". */
  readonly drGrpoLength?: number
  /** The ratio is clipped to [1 - low, 1 + high]. Default 0.2 and 0.28. */
  readonly clip?: { readonly low?: number; readonly high?: number }
  /** Bound, above 1, of the ratio where the advantage is negative; null = none. Default null. */
  readonly dualClip?: number | null
  /** Penalty towards the reference weights. Default coefficient 0, estimator "k3". */
  readonly kl?: { readonly coefficient?: number; readonly estimator?: 'k1' | 'k2' | 'k3' }
  /** One training sample per trajectory and role, or per turn (history-aware training). Default "trajectory". */
  readonly samplesPer?: 'trajectory' | 'turn'
  /** Leave rollouts that a limit cut off out of the loss; they stay in the group's mean. Default false. */
  readonly maskTruncated?: boolean
}

const positive = z.number().gt(0)

export const grpoSchema = z
  .strictObject({
    normalize: z.enum(['std-population', 'std-sample', 'none']).default('std-population'),
    epsilon: z.number().min(0).default(1e-6),
    aggregation: z.enum(['token-mean', 'sequence-mean', 'dr-grpo']).default('sequence-mean'),
    drGrpoLength: positive.exactOptional(),
    clip: z.strictObject({ low: positive.lt(1).default(0.2), high: positive.default(0.28) }).prefault({}),
    dualClip: z.number().gt(1).nullable().default(null),
    kl: z
      .strictObject({ coefficient: z.number().min(0).default(0), estimator: z.enum(['k1', 'k2', 'k3']).default('k3') })
      .prefault({}),
    samplesPer: z.enum(['trajectory', 'turn']).default('trajectory'),
    maskTruncated: z.boolean().default(false),
  })
  .refine(({ aggregation, drGrpoLength }) => aggregation !== 'dr-grpo' || drGrpoLength !== undefined, {
    path: ['drGrpoLength'],
    message: 'the aggregation "dr-grpo" needs a constant length in actions',
  })

export type ResolvedGrpoOptions = z.output<typeof grpoSchema>
