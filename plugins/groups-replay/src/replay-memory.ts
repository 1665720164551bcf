import { type Json, type JudgedTrajectory, RlenvError } from 'rlenv'
import { z } from 'zod'

/** A rollout in the store. */
export interface StoredRollout {
  /** Position among everything that was ever stored. */
  readonly order: number
  readonly content: string
  readonly judged: JudgedTrajectory
}

export interface ReplayMemory {
  readonly nextOrder: number
  readonly tasks: Readonly<Record<string, readonly StoredRollout[]>>
}

/** The parts that the store itself reads; the rest of a rollout is carried as it is. */
const judged = z.looseObject({
  trajectory: z.looseObject({ policyVersion: z.int(), taskId: z.string(), messages: z.array(z.unknown()) }),
  reward: z.number(),
  outcome: z.looseObject({ kind: z.enum(['scored', 'policy_fault']) }),
})

const schema = z.strictObject({
  nextOrder: z.int().min(0),
  tasks: z.record(z.string(), z.array(z.strictObject({ order: z.int().min(0), content: z.string(), judged }))),
})

const empty: ReplayMemory = { nextOrder: 0, tasks: {} }

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is no memory of this plugin. */
export function readMemory(state: Json): ReplayMemory {
  if (state === null) return empty
  const parsed = schema.safeParse(state)
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error))
  const { tasks } = parsed.data
  for (const [task, rollouts] of Object.entries(tasks)) {
    const stranger = rollouts.find((stored) => stored.judged.trajectory.taskId !== task)
    if (stranger !== undefined) throw invalid(`a rollout of ${stranger.judged.trajectory.taskId} is stored for ${task}`)
  }
  // As it was written, not as the schema would order it, so that saving it again gives the same bytes.
  return state as unknown as ReplayMemory
}

function invalid(why: string): RlenvError {
  return new RlenvError(`the stored rollouts cannot be read: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    plugin: '@rlenv/groups-replay',
    hook: 'groups',
    fix: 'Resume with the plugin version that the run was started with.',
  })
}
