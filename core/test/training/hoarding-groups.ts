import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { Kept, SetupContext } from '../../src/hooks/plugin.ts'
import type { Json } from '../../src/vocabulary/json.ts'
import { isCounted, type JudgedTrajectory, type TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'

export interface HoardingOptions {
  /** Rollouts remembered; the oldest are let go. */
  readonly most: number
  /** Versions of the learner that a remembered rollout may be used for after its own. Default 1000. */
  readonly maxAge?: number
}

/**
 * Does everything that a handler of `groups` may do with rollouts: remembers every one, puts the oldest of a task into
 * its next group, drops every fourth group, and writes other rewards and verdicts into members that it leaves.
 */
export function hoardingGroups({ buffer }: SetupContext, { most, maxAge = 1000 }: HoardingOptions): PluginHooks {
  let hoard: readonly { readonly taskId: string; readonly judged: Kept<JudgedTrajectory> }[] = []
  const restore = (state: Json) => {
    const saved = (state ?? []) as unknown as { readonly taskId: string; readonly judged: JudgedTrajectory }[]
    const kept = saved.map(({ taskId, judged }) => ({ taskId, judged: buffer.keep(judged) }))
    for (const { judged } of hoard) if (!kept.some((other) => other.judged === judged)) judged.release()
    hoard = kept
  }
  const remember = ({ taskId, members }: TrajectoryGroup) => {
    hoard = [...hoard, ...members.filter(isCounted).map((judged) => ({ taskId, judged: buffer.keep(judged) }))]
    for (const { judged } of hoard.slice(0, -most)) judged.release()
    hoard = hoard.slice(-most)
  }
  const handler = (groups: readonly TrajectoryGroup[]) =>
    groups.flatMap((group) => {
      const stored = hoard.find(({ taskId }) => taskId === group.taskId)?.judged.read()
      remember(group)
      return group.ordinal % 4 === 3 ? [] : [changed(group, stored, maxAge)]
    })
  return { groups: { handler, memory: { state: () => hoard as unknown as Json, restore } } }
}

/** Members 0, 1 and 2 come from the past, with another reward, and with another verdict; the others stay. */
function changed(group: TrajectoryGroup, stored: JudgedTrajectory | undefined, maxAge: number): TrajectoryGroup {
  const members = group.members.map((member, index): JudgedTrajectory => {
    if (index === 0 && stored !== undefined) {
      return { ...stored, replayed: true, expiresAfter: stored.trajectory.policyVersion + maxAge }
    }
    if (index === 1 && isCounted(member)) return { ...member, reward: member.reward / 3 }
    if (index === 2 && member.verdict !== null) return { ...member, verdict: { ...member.verdict, evidence: [] } }
    return member
  })
  return { ...group, members }
}
