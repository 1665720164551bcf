import { createRequire } from 'node:module'
import { definePlugin, type Plugin, type PluginFactory } from 'rlenv'
import { GroupRelative } from './group-relative.ts'
import type { GrpoOptions } from './grpo-options.ts'
import { grpoSchema } from './grpo-options.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/**
 * Group-relative policy optimisation: advantages against the group's mean, clipped surrogate, optional penalty towards
 * the reference. Every option of the other factories is one of its options. Source: DeepSeekMath, arXiv:2402.03300,
 * section 4.1.
 */
export const grpo: PluginFactory<GrpoOptions> = definePlugin({
  name: '@rlenv/algorithm-grpo',
  version,
  options: grpoSchema,
  setup: (options) => ({ algorithm: () => new GroupRelative(options) }),
})

export interface DrGrpoOptions extends Omit<GrpoOptions, 'scaleRewards' | 'aggregation' | 'drGrpoLength'> {
  /** Constant that every sequence is divided by, in actions; the most actions a rollout may have. */
  readonly length: number
}

/**
 * GRPO without its two biases: no division by the deviation, and a constant instead of each sequence's own length.
 * Source: Dr. GRPO, arXiv:2503.20783, section 3.
 */
export function drGrpo({ length, ...options }: DrGrpoOptions): Plugin {
  return grpo({ ...options, scaleRewards: 'none', aggregation: 'dr-grpo', drGrpoLength: length })
}

/**
 * GRPO with a higher upper clip (0.2 and 0.28), averaged over actions, rollouts that a limit cut off left out of the loss
 * (overlong filtering), no penalty. Its dynamic sampling is a plugin of its own, `@rlenv/groups-filter`; its soft penalty
 * for overlong answers is a matter of the reward. Source: DAPO, arXiv:2503.14476, section 3.
 */
export function dapo(options: GrpoOptions = {}): Plugin {
  const clip = { low: 0.2, high: 0.28, ...options.clip }
  return grpo({ aggregation: 'token-mean', maskTruncated: true, ...options, clip })
}

/**
 * One ratio per sequence, the geometric mean of its actions', with its narrow clip (3e-4 and 4e-4), averaged over
 * sequences; with unequal advantages within a sequence it is GSPO-token. Source: GSPO, arXiv:2507.18071, sections 4.1, 4.3
 * and 5.1.
 */
export function gspo(options: Omit<GrpoOptions, 'importanceSamplingLevel'> = {}): Plugin {
  const clip = { low: 3e-4, high: 4e-4, ...options.clip }
  return grpo({ ...options, importanceSamplingLevel: 'sequence', clip })
}

/**
 * The ratio is only a weight, bounded without a gradient, so that no action drops out of the update; averaged over actions.
 * The paper bounds it above only and does not say where; default [0, 5], the upper bound as in ScaleRL. Source: MiniMax-M1,
 * arXiv:2506.13585, section 3.1; ScaleRL, arXiv:2510.13786.
 */
export function cispo(options: Omit<GrpoOptions, 'objective' | 'dualClip'> = {}): Plugin {
  const clip = { low: 1, high: 4, ...options.clip }
  return grpo({ aggregation: 'token-mean', ...options, objective: 'cispo', clip })
}

/**
 * REINFORCE with the mean of the other rollouts as baseline, rewards unscaled, the actions of a sequence summed. The clip
 * (the one of `grpo`) only matters once a step's batch is cut into several optimiser steps; the paper's penalty in the
 * reward is the option `klInReward`. Source: RLOO, arXiv:2402.14740.
 */
export function rloo(options: Omit<GrpoOptions, 'baseline'> = {}): Plugin {
  return grpo({ scaleRewards: 'none', aggregation: 'dr-grpo', drGrpoLength: 1, ...options, baseline: 'leave-one-out' })
}
