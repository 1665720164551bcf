import { type Json, type JudgedTrajectory, type Kept, RlenvError, type SpillBuffer } from 'rlenv'
import { z } from 'zod'

/** A rollout in the store. What the store looks at is in memory; the rollout itself is where the buffer keeps it. */
export interface StoredRollout {
  /** Position among everything that was ever stored. */
  readonly order: number
  readonly content: string
  readonly reward: number
  readonly policyVersion: number
  readonly judged: Kept<JudgedTrajectory>
}

export interface ReplayMemory {
  readonly nextOrder: number
  readonly tasks: ReadonlyMap<string, readonly StoredRollout[]>
}

/** The parts that the store itself reads; the rest of a rollout is carried as it is. */
const judgedSchema = z.looseObject({
  trajectory: z.looseObject({ policyVersion: z.int(), taskId: z.string(), messages: z.array(z.unknown()) }),
  reward: z.number(),
  outcome: z.looseObject({ kind: z.enum(['scored', 'policy_fault']) }),
})

const memorySchema = z.strictObject({
  nextOrder: z.int().min(0),
  tasks: z.record(
    z.string(),
    z.array(
      z.strictObject({
        order: z.int().min(0),
        content: z.string(),
        judged: z.custom<Json>((value) => Object(value) === value),
      }),
    ),
  ),
})

/** As it is saved. The buffer's values stand for themselves. */
export function savedMemory({ nextOrder, tasks }: ReplayMemory): Json {
  const saved = (rollouts: readonly StoredRollout[]) => {
    return rollouts.map(({ order, content, judged }) => ({ order, content, judged }))
  }
  return {
    nextOrder,
    tasks: Object.fromEntries([...tasks].map(([task, rollouts]) => [task, saved(rollouts)])),
  } as unknown as Json
}

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is no memory of this plugin. */
export function readMemory(state: Json, buffer: SpillBuffer): ReplayMemory {
  if (state === null) return { nextOrder: 0, tasks: new Map() }
  const { nextOrder, tasks } = parsed(memorySchema, state)
  const stored = Object.entries(tasks).map(([task, rollouts]) => {
    return [task, rollouts.map(({ judged, ...place }) => ({ ...place, ...storedPart(task, judged, buffer) }))] as const
  })
  return { nextOrder, tasks: new Map(stored) }
}

function storedPart(task: string, value: Json, buffer: SpillBuffer): Omit<StoredRollout, 'order' | 'content'> {
  // As it was written, not as the schema would order it, so that saving it again gives the same bytes.
  const judged = buffer.keep(value as unknown as JudgedTrajectory)
  const { trajectory, reward } = parsed(judgedSchema, judged.read())
  if (trajectory.taskId !== task) throw invalid(`a rollout of ${trajectory.taskId} is stored for ${task}`)
  return { reward, policyVersion: trajectory.policyVersion, judged }
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (!result.success) throw invalid(z.prettifyError(result.error))
  return result.data
}

function invalid(why: string): RlenvError {
  return new RlenvError(`the stored rollouts cannot be read: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    plugin: '@rlenv/groups-replay',
    hook: 'groups',
    fix: 'Resume with the plugin version that the run was started with.',
  })
}
