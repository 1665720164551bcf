import type { Draw, Policy, SamplingParams } from '../hooks/roles.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import type { Flight } from './flight.ts'

/** One attempt at one member of one draw. */
export interface AttemptPlan {
  readonly draw: Draw
  readonly rolloutIndex: number
  readonly attempt: number
  readonly task: Task
  readonly environment: Environment
  readonly policy: Policy
  readonly sampling: SamplingParams
}

/** Looks after attempts in flight. */
export interface FlightWatch {
  add(flight: Flight): void
  delete(flight: Flight): void
}

/** The collection that an attempt belongs to. */
export interface AttemptScope {
  /** When it aborts, the attempt's outcome is "cancelled". */
  readonly signal: AbortSignal
  readonly progress: FlightWatch
}

/** Where attempts are played: in this thread, or in others. The same plan gives the same bytes everywhere. */
export interface AttemptRunner {
  /** A collection begins; what is played next samples with this policy as it is now. */
  begin(policy: Policy): void
  /** Rollouts of this draw come soon: what their worlds share may be loaded. Never waits and never fails. */
  prepare(environment: Environment, draw: Draw): void
  /** @throws {RlenvError} for what ends a run: RLENV_WORLD_SHARED, RLENV_PLUGIN_RETURNED_NOTHING, RLENV_SHARD_FAILED. */
  play(plan: AttemptPlan, scope: AttemptScope): Promise<JudgedTrajectory>
  /** The outcome of an attempt that ended without a record of its own, or was not begun. */
  conclude(plan: AttemptPlan, stop: StopReason, signal: AbortSignal): Promise<JudgedTrajectory>
}

/** For people: "rollout d3/2 of shop/t4, attempt 1,". */
export function attemptLabel({ draw, rolloutIndex, attempt, task }: AttemptPlan): string {
  return `rollout ${draw.id}/${rolloutIndex} of ${task.id}, attempt ${attempt},`
}
