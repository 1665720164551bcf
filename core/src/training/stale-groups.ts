import { isCounted, type TrajectoryGroup } from '../vocabulary/trajectory.ts'

/** Why a group may not be learnt from: sampled by weights older than the bound allows, or by several. */
export type StaleCause = 'stale' | 'mixed'

export interface FreshGroups {
  readonly kept: readonly TrajectoryGroup[]
  /** What was dropped, by the ordinal of its draw. */
  readonly dropped: ReadonlyMap<number, StaleCause>
}

/**
 * What may be learnt from at this policy version: groups of one version that is at most `maxStaleness` updates old.
 * Members that a replay store put in have an age limit of their own and are not looked at; faults say nothing.
 */
export function freshGroups(
  groups: readonly TrajectoryGroup[],
  policyVersion: number,
  maxStaleness: number,
): FreshGroups {
  const oldest = policyVersion - maxStaleness
  const kept: TrajectoryGroup[] = []
  const dropped = new Map<number, StaleCause>()
  for (const group of groups) {
    const cause = staleCause(versionsOf(group), oldest)
    if (cause === null) kept.push(group)
    else dropped.set(group.ordinal, cause)
  }
  return { kept, dropped }
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
