import { createRequire } from 'node:module'
import {
  definePlugin,
  type GroupsContext,
  groupRewards,
  groupStatistics,
  type PluginFactory,
  type TrajectoryGroup,
} from 'rlenv'
import { z } from 'zod'
import { ReplayStore } from './replay-store.ts'
import { StepTally } from './step-tally.ts'
import { withReplayed } from './with-replayed.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface ReplayGroupsOptions {
  /** A stored rollout is not learnt from by weights more updates newer than this. Default 20. */
  readonly maxAge?: number
  /** Rollouts kept of a task, per distinct reward. Default 2. */
  readonly perReward?: number
  /** Rollouts kept of a task. Default 8. */
  readonly maxPerTask?: number
  /** Rollouts kept in all; the oldest go first. Default 10000. */
  readonly maxTotal?: number
  /** What becomes of a group that stays flat: "drop", so that its draw is made up for, or "keep". Default "drop". */
  readonly flat?: 'drop' | 'keep'
}

/**
 * Puts one stored rollout of the same task with another reward in the place of one member of a group whose rewards are
 * all equal, so that the group has a gradient; groups that stay flat are dropped. A stored rollout keeps the
 * log-probabilities of the weights that sampled it, so that its importance ratio is its own, and never takes part in the
 * store again. Source: AgileRL, "Arena" (2026), trajectory replay.
 */
export const replayGroups: PluginFactory<ReplayGroupsOptions> = definePlugin({
  name: '@rlenv/groups-replay',
  version,
  options: z.strictObject({
    maxAge: z.int().min(0).default(20),
    perReward: z.int().min(1).default(2),
    maxPerTask: z.int().min(1).default(8),
    maxTotal: z.int().min(1).default(10_000),
    flat: z.enum(['drop', 'keep']).default('drop'),
  }),
  setup: ({ flat, ...limits }, { buffer }) => {
    const store = new ReplayStore(limits, buffer)
    const tally = new StepTally()
    const handler = (groups: readonly TrajectoryGroup[], context: GroupsContext): readonly TrajectoryGroup[] => {
      tally.begin(context.step)
      store.forgetBefore(context.learnerVersion)
      const mended = groups.map((group) => {
        const wasFlat = isFlat(group)
        const replayed = wasFlat ? withReplayed(group, store, limits.maxAge, context.random) : null
        // Its own members go into the store afterwards, so that none of them comes back at once.
        store.add(group)
        tally.count({ wasFlat, age: replayed === null ? null : context.policyVersion - replayed.version })
        return replayed?.group ?? group
      })
      tally.report(store.size, context)
      return flat === 'keep' ? mended : mended.filter((group) => !isFlat(group))
    }
    return { groups: { handler, memory: store, flatGroups: 'mend' } }
  },
})

/** Too few members that count are no flat group: what they lack is not another reward. */
function isFlat(group: TrajectoryGroup): boolean {
  return groupStatistics(groupRewards(group)).flat
}
