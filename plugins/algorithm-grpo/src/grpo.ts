import { createRequire } from 'node:module'
import { definePlugin, type Plugin, type PluginFactory } from 'rlenv'
import { GroupRelative } from './group-relative.ts'
import type { GrpoOptions } from './grpo-options.ts'
import { grpoSchema } from './grpo-options.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/**
 * Group-relative policy optimisation: advantages against the group's mean, clipped surrogate, optional penalty towards
 * the reference. Source: DeepSeekMath, arXiv:2402.03300, section 4.1.
 */
export const grpo: PluginFactory<GrpoOptions> = definePlugin({
  name: '@rlenv/algorithm-grpo',
  version,
  options: grpoSchema,
  setup: (options) => ({ algorithm: () => new GroupRelative(options) }),
})

export interface DrGrpoOptions extends Omit<GrpoOptions, 'normalize' | 'epsilon' | 'aggregation' | 'drGrpoLength'> {
  /** Constant that every sequence is divided by, in actions; the most actions a rollout may have. */
  readonly length: number
}

/** GRPO without its two biases: no division by the deviation, and a constant instead of each sequence's own length.
 * Source: Dr. GRPO, arXiv:2503.20783, section 3. */
export function drGrpo({ length, ...options }: DrGrpoOptions): Plugin {
  return grpo({ ...options, normalize: 'none', aggregation: 'dr-grpo', drGrpoLength: length })
}
