import { isCounted, type JudgedTrajectory, type TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { groupRewards } from './loss/group-rewards.ts'
import { groupStatistics } from './loss/group-statistics.ts'

/**
 * Why a group may not be learnt from: sampled by weights older than the bound allows, or by several; or it has no gradient
 * without stored members that are too old by now.
 */
export type StaleCause = 'stale' | 'mixed' | 'expired'

export interface FreshGroups {
  readonly kept: readonly TrajectoryGroup[]
  /** What was dropped, by the ordinal of its draw. */
  readonly dropped: ReadonlyMap<number, StaleCause>
  /** Stored members that were taken out of their groups, of those that were dropped too. */
  readonly expired: number
}

/**
 * What may be learnt from at this version of the learner: groups of one version that is at most `maxStaleness` updates
 * old. Members that a replay store put in have an age limit of their own, `expiresAfter`; the learner may have come
 * further than was foreseen when they were put in, and then they leave their group. Faults say nothing.
 */
export function freshGroups(
  groups: readonly TrajectoryGroup[],
  learnerVersion: number,
  maxStaleness: number,
): FreshGroups {
  const oldest = learnerVersion - maxStaleness
  const kept: TrajectoryGroup[] = []
  const dropped = new Map<number, StaleCause>()
  let expired = 0
  for (const group of groups) {
    const usable = withoutExpired(group, learnerVersion)
    expired += group.members.length - usable.members.length
    const hasLost = usable !== group && groupStatistics(groupRewards(usable)).flat
    const cause = staleCause(versionsOf(usable), oldest) ?? (hasLost ? 'expired' : null)
    if (cause === null) kept.push(usable)
    else dropped.set(group.ordinal, cause)
  }
  return { kept, dropped, expired }
}

/** The group itself when nothing of it has expired. */
function withoutExpired(group: TrajectoryGroup, learnerVersion: number): TrajectoryGroup {
  const isUsable = ({ expiresAfter }: JudgedTrajectory) => expiresAfter === undefined || expiresAfter >= learnerVersion
  return group.members.every(isUsable) ? group : { ...group, members: group.members.filter(isUsable) }
}

function staleCause(versions: ReadonlySet<number>, oldest: number): StaleCause | null {
  if (versions.size > 1) return 'mixed'
  return [...versions].some((version) => version < oldest) ? 'stale' : null
}

/** Versions of all spans of the fresh members that count. */
function versionsOf({ members }: TrajectoryGroup): ReadonlySet<number> {
  const fresh = members.filter((member) => isCounted(member) && member.replayed !== true)
  return new Set(
    fresh.flatMap(({ trajectory }) => [
      trajectory.policyVersion,
      ...trajectory.turns.map(({ span }) => span.policyVersion),
    ]),
  )
}
