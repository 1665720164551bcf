import { z } from 'zod'
import { type Outcome, outcomeSchema } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

/** What was decided about a rollout whose whole line stands in another file of the same step. */
export interface DecidedLine {
  readonly id: string
  readonly task_id: string
  readonly env: string
  readonly group_id: string
  readonly rollout_index: number
  /** Null when there is none, or none that is finite. */
  readonly reward: number | null
  readonly outcome: Outcome
  readonly replayed?: boolean
}

export const decidedLineSchema: z.ZodType<DecidedLine> = z.strictObject({
  id: z.string(),
  task_id: z.string(),
  env: z.string(),
  group_id: z.string(),
  rollout_index: z.int(),
  reward: z.number().nullable(),
  outcome: outcomeSchema,
  replayed: z.exactOptional(z.boolean()),
})

/** One line of `effective/traces.jsonl` for a member that stands in `all/traces.jsonl` of the same step. */
export function decidedLine({ trajectory, outcome, reward, replayed }: JudgedTrajectory): DecidedLine {
  return {
    id: trajectory.id,
    task_id: trajectory.taskId,
    env: trajectory.environmentId,
    group_id: trajectory.drawId,
    rollout_index: trajectory.rolloutIndex,
    reward: finiteReward(reward),
    outcome,
    ...(replayed !== undefined && { replayed }),
  }
}

/** JSON knows neither NaN nor infinities. */
export function finiteReward(reward: number | null): number | null {
  return reward !== null && Number.isFinite(reward) ? reward : null
}
