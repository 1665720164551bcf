import { z } from 'zod'

export interface GrpoOptions {
  /** What a reward is compared with: its group's mean, or the mean of its peers ("leave-one-out"). Default "mean". */
  readonly baseline?: 'mean' | 'leave-one-out'
  /** Whose standard deviation a centred reward is divided by: "group", "batch" or "none". Default "group". */
  readonly scaleRewards?: 'group' | 'batch' | 'none'
  /** Which standard deviation: "population" (÷ G) or "sample" (÷ G − 1). Default "population". */
  readonly deviation?: 'population' | 'sample'
  /** Added to the standard deviation, in reward units. Default 1e-6. */
  readonly epsilon?: number
  /** "token-mean", "sequence-mean" or "dr-grpo"; over one optimiser step. Default "sequence-mean", as the GRPO paper. */
  readonly aggregation?: 'token-mean' | 'sequence-mean' | 'dr-grpo'
  /** Constant sequence length, in actions; required for "dr-grpo". */
  readonly drGrpoLength?: number
  /** Whether a ratio out of bounds ends its action's gradient ("clip") or is only bounded ("cispo"). Default "clip". */
  readonly objective?: 'clip' | 'cispo'
  /** One ratio per action, or one per sample, the geometric mean of its actions' ("sequence"). Default "token". */
  readonly importanceSamplingLevel?: 'token' | 'sequence'
  /** The ratio is clipped to [1 - low, 1 + high]. Default 0.2 and 0.28. */
  readonly clip?: { readonly low?: number; readonly high?: number }
  /** Bound, above 1, of the ratio where the advantage is negative; null = none. Default null. */
  readonly dualClip?: number | null
  /** Penalty towards the reference weights, in the loss. Default coefficient 0, estimator "k3". */
  readonly kl?: { readonly coefficient?: number; readonly estimator?: 'k1' | 'k2' | 'k3' }
  /**
   * The same penalty in the advantages instead, centred over the step; the learner is asked once per step. Default
   * coefficient 0, estimator "k1".
   */
  readonly klInReward?: { readonly coefficient?: number; readonly estimator?: 'k1' | 'k2' | 'k3' }
  /**
   * Correction for what other weights or another engine sampled, replayed rollouts among them; the learner is asked once
   * per step. null = none: ratios then start from the sampler's own log-probabilities. Default null.
   */
  readonly importanceSampling?: ImportanceSamplingOptions | null
  /** One training sample per trajectory and role, or per turn (history-aware training). Default "trajectory". */
  readonly samplesPer?: 'trajectory' | 'turn'
  /** Leave rollouts that a limit cut off out of the loss; they stay in the group's mean. Default false. */
  readonly maskTruncated?: boolean
}

export interface ImportanceSamplingOptions {
  /** One weight per action, one per sequence (product), or their geometric mean. Default "token". */
  readonly level?: 'token' | 'sequence' | 'geometric'
  /** Weights above the cap become the cap, or 0. Default "truncate". */
  readonly mode?: 'truncate' | 'mask'
  /** Default 2. */
  readonly cap?: number
  /** In mode "mask", weights below it become 0 too. Default 0. */
  readonly floor?: number
  /** A sequence is the whole trajectory, however it is cut, or one sample. Default "trajectory". */
  readonly scope?: 'trajectory' | 'sample'
}

const positive = z.number().gt(0)
const penalty = (estimator: 'k1' | 'k3') =>
  z
    .strictObject({
      coefficient: z.number().min(0).default(0),
      estimator: z.enum(['k1', 'k2', 'k3']).default(estimator),
    })
    .prefault({})

const importanceSampling = z
  .strictObject({
    level: z.enum(['token', 'sequence', 'geometric']).default('token'),
    mode: z.enum(['truncate', 'mask']).default('truncate'),
    cap: positive.default(2),
    floor: z.number().min(0).default(0),
    scope: z.enum(['trajectory', 'sample']).default('trajectory'),
  })
  .refine(({ mode, floor }) => mode === 'mask' || floor === 0, {
    path: ['floor'],
    message: 'only the mode "mask" has a floor',
  })
  .refine(({ floor, cap }) => floor < cap, { path: ['floor'], message: 'a floor at or above the cap masks everything' })

export const grpoSchema = z
  .strictObject({
    baseline: z.enum(['mean', 'leave-one-out']).default('mean'),
    scaleRewards: z.enum(['group', 'batch', 'none']).default('group'),
    deviation: z.enum(['population', 'sample']).default('population'),
    epsilon: z.number().min(0).default(1e-6),
    aggregation: z.enum(['token-mean', 'sequence-mean', 'dr-grpo']).default('sequence-mean'),
    drGrpoLength: positive.exactOptional(),
    objective: z.enum(['clip', 'cispo']).default('clip'),
    importanceSamplingLevel: z.enum(['token', 'sequence']).default('token'),
    clip: z.strictObject({ low: positive.max(1).default(0.2), high: positive.default(0.28) }).prefault({}),
    dualClip: z.number().gt(1).nullable().default(null),
    kl: penalty('k3'),
    klInReward: penalty('k1'),
    importanceSampling: importanceSampling.nullable().default(null),
    samplesPer: z.enum(['trajectory', 'turn']).default('trajectory'),
    maskTruncated: z.boolean().default(false),
  })
  .refine(({ aggregation, drGrpoLength }) => aggregation !== 'dr-grpo' || drGrpoLength !== undefined, {
    path: ['drGrpoLength'],
    message: 'the aggregation "dr-grpo" needs a constant length in actions',
  })
  .refine(({ objective, clip }) => objective === 'cispo' || clip.low < 1, {
    path: ['clip', 'low'],
    message: 'only the objective "cispo" may leave the ratio without a lower bound (clip.low = 1)',
  })
  .refine(({ objective, dualClip }) => objective === 'clip' || dualClip === null, {
    path: ['dualClip'],
    message: 'the objective "cispo" has no dual clip',
  })

export type ResolvedGrpoOptions = z.output<typeof grpoSchema>
