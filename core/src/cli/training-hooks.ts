import type { HookName } from '../hooks/pipeline-hooks.ts'

/** Hook points without which environments cannot be made. */
export const synthesisHooks: readonly HookName[] = [
  'scenarioSource',
  'dbMiner',
  'toolGenerator',
  'taskGenerator',
  'verifier',
]

/** Hook points without which rollouts say nothing. */
export const rolloutHooks: readonly HookName[] = ['verifier', 'rewardShaper', 'world', 'rollout']

/** Everything that a whole training run needs, so that a gap shows before any work is done. */
export const trainingHooks: readonly HookName[] = [
  ...new Set<HookName>([...synthesisHooks, ...rolloutHooks, 'sampler', 'groups', 'algorithm', 'learner']),
]
