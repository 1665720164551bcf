import { isCounted, type TrajectoryGroup } from '../../vocabulary/trajectory.ts'

/** Shape [G], in member order: the reward of every member that counts, null for the others. */
export function groupRewards(group: Pick<TrajectoryGroup, 'members'>): (number | null)[] {
  return group.members.map((member) => (isCounted(member) ? member.reward : null))
}
