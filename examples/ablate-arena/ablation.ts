import { filterGroups } from '@rlenv/groups-filter'
import { replayGroups } from '@rlenv/groups-replay'
import { adaptiveSampler } from '@rlenv/sampler-adaptive'
import { uniformSampler } from '@rlenv/sampler-uniform'
import { defineAblation, keepAllGroups } from 'rlenv'

const withoutReplay = ['@rlenv/groups-replay']

/**
 * Every rollout that is generated counts against the budget, also those that a filter throws away and those that are
 * drawn again in their place.
 */
export default defineAblation({
  arms: {
    none: { plugins: [uniformSampler(), keepAllGroups()], without: withoutReplay },
    filter: { plugins: [uniformSampler(), filterGroups()], without: withoutReplay },
    replay: { plugins: [uniformSampler(), replayGroups()] },
    adaptive: { plugins: [adaptiveSampler(), keepAllGroups()], without: withoutReplay },
    'replay + adaptive': { plugins: [adaptiveSampler(), replayGroups()] },
  },
  seeds: 5,
  rollouts: 6_400,
  trainingTasks: 100,
})
