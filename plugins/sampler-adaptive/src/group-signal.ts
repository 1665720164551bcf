import { groupRewards, groupStatistics, isCounted, type TrajectoryGroup } from 'rlenv'

/** What a group says about drawing its task again. */
export type GroupSignal = 'differed' | 'tied'

/**
 * @param ties - which ties say anything.
 * @returns null when the group says nothing: too few members that count, or a tie of the other sort.
 */
export function groupSignal(group: TrajectoryGroup, ties: 'passed' | 'all'): GroupSignal | null {
  const { counted, flat } = groupStatistics(groupRewards(group))
  if (counted < 2) return null
  if (!flat) return 'differed'
  const passed = group.members.every((member) => !isCounted(member) || member.verdict?.passed === true)
  return ties === 'all' || passed ? 'tied' : null
}
