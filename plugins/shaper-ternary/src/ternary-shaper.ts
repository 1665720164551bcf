import { createRequire } from 'node:module'
import { definePlugin, type JudgedTrajectory, type PluginFactory } from 'rlenv'
import { z } from 'zod'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface TernaryShaperOptions {
  /** Verification passed. Default 1. */
  readonly passed?: number
  /** Verification failed. Default -1. */
  readonly failed?: number
  /** Part of the goal was reached. Default -1. */
  readonly partial?: number
  /** The policy called an unknown tool, gave wrong arguments or broke the protocol. Default -1. */
  readonly policyFault?: number
  /** The environment failed, or nobody can say. Such a rollout leaves the group, whatever stands here. Default 0. */
  readonly unknown?: number
}

/** +1 passed, -1 failed or the policy's own fault, 0 where the environment failed. Source: AgileRL, "Arena" (2026). */
export const ternaryShaper: PluginFactory<TernaryShaperOptions> = definePlugin({
  name: '@rlenv/shaper-ternary',
  version,
  options: z.strictObject({
    passed: z.number().default(1),
    failed: z.number().default(-1),
    partial: z.number().default(-1),
    policyFault: z.number().default(-1),
    unknown: z.number().default(0),
  }),
  setup: (options) => ({
    rewardShaper: { base: true, handler: (_reward, { judged }) => ternaryReward(judged, options) },
  }),
})

function ternaryReward({ outcome, verdict }: JudgedTrajectory, options: Required<TernaryShaperOptions>): number {
  if (outcome.kind === 'policy_fault') return options.policyFault
  if (outcome.kind !== 'scored' || verdict === null || verdict.kind === 'unscored') return options.unknown
  return options[verdict.kind]
}
