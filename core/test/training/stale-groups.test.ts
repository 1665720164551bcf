import { describe, expect, test } from 'vitest'
import { groupOf, judgedOf } from '../../src/testing/trajectories.ts'
import { freshGroups } from '../../src/training/stale-groups.ts'
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

const ordinals = (groups: readonly TrajectoryGroup[]) => groups.map(({ ordinal }) => ordinal)

describe('freshGroups', () => {
  test('drops and counts what is older than the bound', () => {
    const fresh = freshGroups([groupAt(0, 5, 5), groupAt(1, 4, 4), groupAt(2, 3, 3)], 5, 1)
    expect({ ...fresh, kept: ordinals(fresh.kept) }).toEqual({ kept: [0, 1], dropped: new Map([[2, 'stale']]) })
  })

  test('drops groups whose members come from different weights', () => {
    const fresh = freshGroups([groupAt(0, 5, 4), groupAt(1, 5, 5)], 5, 3)
    expect({ ...fresh, kept: ordinals(fresh.kept) }).toEqual({ kept: [1], dropped: new Map([[0, 'mixed']]) })
  })

  test('a version that jumps while rollouts are in flight makes them too old', () => {
    expect(freshGroups([groupAt(0, 5, 5)], 9, 2)).toEqual({ kept: [], dropped: new Map([[0, 'stale']]) })
  })

  test('looks neither at replayed members nor at faults', () => {
    const group = groupAt(0, 5, 5)
    const old = groupAt(1, 1, 1).members[0]
    if (old === undefined) throw new Error('the group has a member')
    const fault = judgedOf('environment_fault', { policyVersion: 0 })
    const mended = { ...group, members: [...group.members, { ...old, replayed: true }, fault] }
    expect(freshGroups([mended], 5, 0).kept).toEqual([mended])
  })
})
