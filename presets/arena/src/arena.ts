import { grpo } from '@rlenv/algorithm-grpo'
import { blueprint } from '@rlenv/blueprint'
import { replayGroups } from '@rlenv/groups-replay'
import { embeddedLearner } from '@rlenv/learner-embedded'
import { adaptiveSampler } from '@rlenv/sampler-adaptive'
import { ternaryShaper } from '@rlenv/shaper-ternary'
import { codeVerifier } from '@rlenv/verifier-code'
import { arenaStepChecks, type RlenvConfig, reactRollout } from 'rlenv'

export interface ArenaOptions {
  /** Environments to synthesise. Default 100. */
  readonly environments?: number
  /** Tasks in each. Default 10. */
  readonly tasksPerEnvironment?: number
}

/**
 * AgileRL's Arena on embedded plugins: meta surface with one call per turn, at most 20 turns, reward +1 / −1, GRPO with
 * trajectory replay and adaptive task sampling, collection one step ahead of the learner, 96 steps. What differs from the
 * source is listed in docs/papers/arena.md.
 */
export function arena(options: ArenaOptions = {}): RlenvConfig {
  return {
    name: 'arena',
    plugins: [
      blueprint(),
      codeVerifier(),
      ternaryShaper(),
      adaptiveSampler(),
      replayGroups(),
      grpo({ clip: { low: 0.2, high: 0.28 }, aggregation: 'sequence-mean', importanceSampling: {} }),
      embeddedLearner(),
      reactRollout({ surface: 'meta', toolCallsPerTurn: 1, checks: arenaStepChecks() }),
    ],
    synthesis: { environments: options.environments ?? 100, tasksPerEnvironment: options.tasksPerEnvironment ?? 10 },
    rollout: { maxTurns: 20 },
    training: { steps: 96, tasksPerStep: 64, rolloutsPerTask: 16, optimizerStepsPerStep: 4, maxStaleness: 1 },
  }
}
