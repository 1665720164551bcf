import { isCounted, type TrajectoryGroup } from '../vocabulary/trajectory.ts'

export interface FreshGroups {
  readonly kept: readonly TrajectoryGroup[]
  /** Groups that were sampled by weights older than the bound allows. */
  readonly stale: number
  /** Groups whose members were sampled by different weights. */
  readonly mixed: number
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
  const judged = groups.map((group) => ({ group, versions: versionsOf(group) }))
  const mixed = judged.filter(({ versions }) => versions.size > 1)
  const oldest = policyVersion - maxStaleness
  const stale = judged.filter(
    ({ versions }) => versions.size === 1 && [...versions].some((version) => version < oldest),
  )
  const dropped = new Set([...mixed, ...stale].map(({ group }) => group))
  return { kept: groups.filter((group) => !dropped.has(group)), stale: stale.length, mixed: mixed.length }
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
