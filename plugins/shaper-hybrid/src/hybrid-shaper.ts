import { createRequire } from 'node:module'
import { definePlugin, type JudgedTrajectory, type PluginFactory } from 'rlenv'
import { z } from 'zod'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface HybridShaperOptions {
  /** The verdict is passed. Default 1. */
  readonly completed?: number
  /** The verdict is partial. Default 0.1. */
  readonly partiallyCompleted?: number
  /** The verdict is failed. Default 0. */
  readonly agentError?: number
  /** A step check was broken: no reasoning, unknown tool, malformed arguments. Default -1. */
  readonly formatError?: number
  /** The environment failed, or nobody can say. Such a rollout leaves the group, whatever stands here. Default 0. */
  readonly environmentError?: number
}

/**
 * Graded outcome reward with a step-level penalty for broken format.
 * Source: "Agent World Model", arXiv:2602.10090 (reward design).
 */
export const hybridShaper: PluginFactory<HybridShaperOptions> = definePlugin({
  name: '@rlenv/shaper-hybrid',
  version,
  options: z.strictObject({
    completed: z.number().default(1),
    partiallyCompleted: z.number().default(0.1),
    agentError: z.number().default(0),
    formatError: z.number().default(-1),
    environmentError: z.number().default(0),
  }),
  setup: (options) => ({
    rewardShaper: { base: true, handler: (_reward, { judged }) => hybridReward(judged, options) },
  }),
})

function hybridReward({ outcome, verdict }: JudgedTrajectory, options: Required<HybridShaperOptions>): number {
  if (outcome.kind === 'policy_fault') return options.formatError
  if (outcome.kind !== 'scored' || verdict === null) return options.environmentError
  switch (verdict.kind) {
    case 'passed':
      return options.completed
    case 'partial':
      return options.partiallyCompleted
    case 'failed':
      return options.agentError
    case 'unscored':
      return options.environmentError
  }
}
