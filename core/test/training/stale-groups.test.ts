import { describe, expect, test } from 'vitest'
import { groupOf, judgedOf } from '../../src/testing/trajectories.ts'
import { type FreshGroups, freshGroups } from '../../src/training/stale-groups.ts'
import type { TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'

function groupAt(ordinal: number, ...versions: readonly number[]): TrajectoryGroup {
  const group = groupOf(
    versions.map((_, index) => (index % 2 === 0 ? 1 : -1)),
    { ordinal },
  )
  const members = group.members.map((member, index) => {
    const version = versions[index] as number
    const turns = member.trajectory.turns.map((turn) => ({ ...turn, span: { ...turn.span, policyVersion: version } }))
    return { ...member, trajectory: { ...member.trajectory, policyVersion: version, turns } }
  })
  return { ...group, members }
}

const summary = (fresh: FreshGroups) => ({ ...fresh, kept: fresh.kept.map(({ ordinal }) => ordinal) })

/** A group with a stored member in place of its first. */
function withStored(group: TrajectoryGroup, reward: number, expiresAfter: number): TrajectoryGroup {
  const stored = { ...judgedOf(reward, { policyVersion: 1 }), replayed: true, expiresAfter }
  return { ...group, members: [stored, ...group.members.slice(1)] }
}

describe('freshGroups', () => {
  test('drops and counts what is older than the bound', () => {
    const fresh = freshGroups([groupAt(0, 5, 5), groupAt(1, 4, 4), groupAt(2, 3, 3)], 5, 1)
    expect(summary(fresh)).toEqual({ kept: [0, 1], dropped: new Map([[2, 'stale']]), expired: 0 })
  })

  test('drops groups whose members come from different weights', () => {
    const fresh = freshGroups([groupAt(0, 5, 4), groupAt(1, 5, 5)], 5, 3)
    expect(summary(fresh)).toEqual({ kept: [1], dropped: new Map([[0, 'mixed']]), expired: 0 })
  })

  test('a version that jumps while rollouts are in flight makes them too old', () => {
    expect(freshGroups([groupAt(0, 5, 5)], 9, 2)).toEqual({ kept: [], dropped: new Map([[0, 'stale']]), expired: 0 })
  })

  test('looks neither at replayed members nor at faults', () => {
    const group = groupAt(0, 5, 5)
    const old = groupAt(1, 1, 1).members[0]
    if (old === undefined) throw new Error('the group has a member')
    const fault = judgedOf('environment_fault', { policyVersion: 0 })
    const mended = { ...group, members: [...group.members, { ...old, replayed: true }, fault] }
    expect(freshGroups([mended], 5, 0).kept).toEqual([mended])
  })
  test('takes stored members out that are too old by the time they are learnt from', () => {
    // Rewards 1, -1, 1 with the stored one, -1, 1 without it.
    const group = withStored(groupAt(0, 5, 5, 5), 1, 6)
    expect(freshGroups([group], 6, 1)).toEqual({ kept: [group], dropped: new Map(), expired: 0 })
    const late = freshGroups([group], 7, 2)
    expect(late).toMatchObject({ dropped: new Map(), expired: 1 })
    expect(late.kept).toEqual([{ ...group, members: group.members.slice(1) }])
  })

  test('drops groups that have no gradient without stored members that are too old', () => {
    const flat = groupOf([-1, -1, -1], { ordinal: 3, policyVersion: 7 })
    const fresh = freshGroups([withStored(flat, 1, 6), withStored(flat, 1, 7)], 7, 0)
    expect(fresh.dropped).toEqual(new Map([[3, 'expired']]))
    expect(fresh).toMatchObject({ kept: [withStored(flat, 1, 7)], expired: 1 })
  })
})
