import { isCounted, type RandomStream, type TrajectoryGroup } from 'rlenv'
import type { ReplayStore } from './replay-store.ts'

export interface ReplayedGroup {
  readonly group: TrajectoryGroup
  /** Of the weights that sampled the stored member. */
  readonly version: number
}

/**
 * Replaces one member that counts by a stored rollout of the same task with another reward.
 *
 * @param maxAge - versions that the learner may be newer than the stored rollout when it learns from it.
 * @returns null when the group has fewer than two members that count, or the store has nothing for it.
 */
export function withReplayed(
  group: TrajectoryGroup,
  store: ReplayStore,
  maxAge: number,
  random: RandomStream,
): ReplayedGroup | null {
  const counted = group.members.flatMap((member, index) => (isCounted(member) ? [{ member, index }] : []))
  const [first] = counted
  if (first === undefined || counted.length < 2) return null
  const stored = store.otherThan(group.taskId, first.member.reward)
  if (stored === undefined) return null
  const { index: place } = random.pick(counted)
  const version = stored.trajectory.policyVersion
  const replayed = { ...stored, replayed: true, expiresAfter: version + maxAge }
  const members = group.members.map((member, index) => (index === place ? replayed : member))
  return { group: { ...group, members }, version }
}
