import { RlenvError } from '../errors/rlenv-error.ts'
import type { TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { groupRewards } from './loss/group-rewards.ts'
import { groupStatistics } from './loss/group-statistics.ts'
import type { FreshGroups } from './stale-groups.ts'

/** Why a group carries no gradient. A group that faults have emptied is not flat: nothing is known about its task. */
export type DeadCause = 'all_passed' | 'none_passed' | 'equal_rewards' | 'too_few_counted'

/** The cause, or null when rewards differ. */
export function deadCause(group: TrajectoryGroup): DeadCause | null {
  const { counted, flat } = groupStatistics(groupRewards(group))
  if (counted < 2) return 'too_few_counted'
  if (!flat) return null
  const passed = group.members.filter(({ verdict }) => verdict?.passed === true).length
  if (passed === 0) return 'none_passed'
  return passed >= counted ? 'all_passed' : 'equal_rewards'
}

/** Whether rewards are known and all equal. */
export function isFlat(group: TrajectoryGroup): boolean {
  const cause = deadCause(group)
  return cause !== null && cause !== 'too_few_counted'
}

export interface DeadStepLimits {
  /** Consecutive steps without any gradient. */
  readonly warnAfterDeadSteps: number
  readonly stopAfterDeadSteps: number
}

/** The current run of steps without any gradient; part of a checkpoint. */
export interface DeadStreak {
  readonly steps: number
  /** Groups of the streak by cause. */
  readonly causes: Readonly<Record<string, number>>
}

export const noDeadSteps: DeadStreak = { steps: 0, causes: {} }

/**
 * The streak after one more step.
 *
 * @param stale - ordinals of groups that were too old, or of several versions, to be learnt from.
 */
export function nextStreak(
  streak: DeadStreak,
  alive: boolean,
  generated: readonly TrajectoryGroup[],
  stale: FreshGroups['dropped'],
): DeadStreak {
  if (alive) return noDeadSteps
  const causes = { ...streak.causes }
  for (const group of generated) {
    const cause = stale.get(group.ordinal) ?? deadCause(group) ?? 'dropped'
    causes[cause] = (causes[cause] ?? 0) + 1
  }
  return { steps: streak.steps + 1, causes }
}

/** What to tell the user at this length of the streak; null when there is nothing new to say. */
export function streakWarning(streak: DeadStreak, { warnAfterDeadSteps }: DeadStepLimits): string | null {
  if (streak.steps !== warnAfterDeadSteps) return null
  return `no group had a gradient for ${streak.steps} steps: ${causeText(streak)}`
}

/** @throws {RlenvError} RLENV_DEAD_RUN with counts by cause when the streak is too long. */
export function assertAlive(streak: DeadStreak, { stopAfterDeadSteps }: DeadStepLimits): void {
  if (streak.steps < stopAfterDeadSteps) return
  throw new RlenvError(`no group had a gradient for ${streak.steps} steps: ${causeText(streak)}`, {
    code: 'RLENV_DEAD_RUN',
    fix: fixFor(streak),
  })
}

const fixes: Readonly<Record<string, string>> = {
  all_passed: 'Synthesise harder tasks: every rollout of a group passes.',
  too_few_counted: 'Repair the environments or the verifiers: most rollouts do not count.',
  stale: 'Sample with the policy that the learner serves, or raise training.maxStaleness to how far it lags behind.',
  expired: 'Let the plugin that replays rollouts keep them for longer, or lower training.maxStaleness.',
  mixed: 'Give the policy snapshot() and restore(), so that no update reaches rollouts that are under way.',
  dropped: 'Look at the plugins of the hook point groups: they drop groups that have a gradient.',
}

function fixFor({ causes }: DeadStreak): string {
  const [worst] = Object.entries(causes).sort(([, a], [, b]) => b - a)[0] ?? ['none_passed']
  const known = Object.hasOwn(fixes, worst) ? fixes[worst] : undefined
  if (known !== undefined) return known
  return 'Raise training.rolloutsPerTask, start from a stronger policy, or synthesise easier tasks.'
}

function causeText({ causes }: DeadStreak): string {
  const parts = Object.entries(causes).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return parts.length === 0 ? 'no groups at all' : parts.map(([cause, count]) => `${count} groups ${cause}`).join(', ')
}
