import { RlenvError } from '../errors/rlenv-error.ts'
import type { TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { groupRewards } from './loss/group-rewards.ts'
import { groupStatistics } from './loss/group-statistics.ts'

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

/** The streak after one more step. */
export function nextStreak(streak: DeadStreak, alive: boolean, generated: readonly TrajectoryGroup[]): DeadStreak {
  if (alive) return noDeadSteps
  const causes = { ...streak.causes }
  for (const group of generated) {
    const cause = deadCause(group) ?? 'dropped'
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

function fixFor({ causes }: DeadStreak): string {
  const [worst] = Object.entries(causes).sort(([, a], [, b]) => b - a)[0] ?? ['none_passed']
  if (worst === 'all_passed') return 'Synthesise harder tasks: every rollout of a group passes.'
  if (worst === 'too_few_counted') return 'Repair the environments or the verifiers: most rollouts do not count.'
  return 'Raise training.rolloutsPerTask, start from a stronger policy, or synthesise easier tasks.'
}

function causeText({ causes }: DeadStreak): string {
  const parts = Object.entries(causes).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return parts.length === 0 ? 'no groups at all' : parts.map(([cause, count]) => `${count} groups ${cause}`).join(', ')
}
