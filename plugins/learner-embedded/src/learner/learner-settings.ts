import type { AdamOptions } from '../weights/adam.ts'

/** The learner's options with every default filled in. */
export interface LearnerSettings extends AdamOptions {
  /** Number of weights; a power of two. */
  readonly weights: number
  /** Factor of the initial weights. */
  readonly scale: number
  /** Largest L2 norm of a step's gradient; null = no limit. */
  readonly maxGradNorm: number | null
  /** Most bytes of features kept of what was sampled last. */
  readonly cacheBytes: number
}
