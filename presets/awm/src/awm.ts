import { grpo } from '@rlenv/algorithm-grpo'
import { blueprint } from '@rlenv/blueprint'
import { filterGroups } from '@rlenv/groups-filter'
import { embeddedLearner } from '@rlenv/learner-embedded'
import { uniformSampler } from '@rlenv/sampler-uniform'
import { hybridShaper } from '@rlenv/shaper-hybrid'
import { codeVerifier } from '@rlenv/verifier-code'
import { awmStepChecks, type RlenvConfig, reactRollout } from 'rlenv'

export interface AwmOptions {
  /** Environments to synthesise. Default 100. */
  readonly environments?: number
  /** Tasks in each. Default 10, the paper's. */
  readonly tasksPerEnvironment?: number
  /** Turns of history that the policy sees and is trained on; null = all. Default 3, the paper's. */
  readonly historyTurns?: number | null
}

/**
 * Agent World Model (arXiv 2602.10090) on embedded plugins: meta surface, at most 20 turns, six step checks, hybrid
 * reward, GRPO with one sample per turn over the history the policy saw. What differs from the paper is listed in
 * docs/papers/awm.md.
 */
export function awm(options: AwmOptions = {}): RlenvConfig {
  const { historyTurns = 3 } = options
  return {
    name: 'awm',
    plugins: [
      blueprint(),
      codeVerifier({ partial: true }),
      hybridShaper(),
      uniformSampler(),
      filterGroups(),
      grpo({
        clip: { low: 0.2, high: 0.28 },
        aggregation: 'token-mean',
        kl: { coefficient: 0.001, estimator: 'k3' },
        samplesPer: 'turn',
        importanceSampling: { level: 'sequence' },
      }),
      embeddedLearner(),
      reactRollout({ surface: 'meta', historyTurns, toolCallsPerTurn: 1, checks: awmStepChecks() }),
    ],
    synthesis: { environments: options.environments ?? 100, tasksPerEnvironment: options.tasksPerEnvironment ?? 10 },
    rollout: { maxTurns: 20 },
    training: { steps: 96, tasksPerStep: 64, rolloutsPerTask: 16, optimizerStepsPerStep: 4 },
  }
}
