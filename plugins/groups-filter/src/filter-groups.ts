import { createRequire } from 'node:module'
import {
  definePlugin,
  type GroupsHandler,
  groupRewards,
  groupStatistics,
  type PluginFactory,
  type TrajectoryGroup,
} from 'rlenv'
import { z } from 'zod'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface FilterGroupsOptions {
  /** A group with fewer members that count has no baseline and is dropped. Default 2. */
  readonly minCounted?: number
}

/**
 * Drops groups that carry no gradient: those whose rewards are all equal, and those with too few members that count.
 * The training loop draws again for what was dropped. Source: DAPO, arXiv:2503.14476, section 3.2 (dynamic sampling).
 */
export const filterGroups: PluginFactory<FilterGroupsOptions> = definePlugin({
  name: '@rlenv/groups-filter',
  version,
  options: z.strictObject({ minCounted: z.int().min(2).default(2) }),
  setup: ({ minCounted }) => {
    const handler: GroupsHandler = (groups, { metric }) => {
      const verdicts = groups.map((group) => ({ group, reason: reasonToDrop(group, minCounted) }))
      metric('filter/flat', verdicts.filter(({ reason }) => reason === 'flat').length)
      metric('filter/too_few', verdicts.filter(({ reason }) => reason === 'too_few').length)
      return verdicts.filter(({ reason }) => reason === null).map(({ group }) => group)
    }
    return { groups: { handler, flatGroups: 'drop' } }
  },
})

/** A group that faults have emptied is not flat: nothing is known about its task. */
function reasonToDrop(group: TrajectoryGroup, minCounted: number): 'flat' | 'too_few' | null {
  const { counted, flat } = groupStatistics(groupRewards(group))
  if (counted < minCounted) return 'too_few'
  return flat ? 'flat' : null
}
