import type { Draw, Policy, SamplingParams } from '../hooks/roles.ts'
import type { RolloutPurpose } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Task } from '../vocabulary/task.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

/** How long one rollout took. Kept apart from trajectories, which hold no wall-clock time. */
export interface RolloutTiming {
  /** The trajectory's. */
  readonly id: string
  readonly attempt: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
}

export interface CollectRequest {
  readonly draws: readonly Draw[]
  readonly rolloutsPerDraw: number
  readonly purpose: RolloutPurpose
  /** In place of the configuration's sampling settings. */
  readonly sampling?: Partial<SamplingParams>
  /** In place of the engine's policy. */
  readonly policy?: Policy
  /** Share of rollouts, 0 to 1, that may end in a fault or unscored; checked after the last group. Default: any. */
  readonly maxFailureShare?: number
  /** Receives the attempts that were tried again, in the order of groups, each before its group. */
  readonly onFailedAttempts?: (attempts: readonly JudgedTrajectory[]) => void
  readonly onTiming?: (timing: RolloutTiming) => void
  /** Who else waits for these rollouts, or for whom they wait, in words; asked when nothing finishes for long. */
  readonly surroundings?: () => readonly string[]
}

/** A task with the environment that it belongs to. */
export interface TaskPlace {
  readonly task: Task
  readonly environment: Environment
}
