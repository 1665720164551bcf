import { type Json, type RandomState, RlenvError } from 'rlenv'
import { z } from 'zod'

const word = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1)

const stateSchema = z.strictObject({
  random: z.tuple([word, word, word, word]),
  /** Tasks that this pass still owes, in order. */
  remaining: z.array(z.string()),
})

export interface UniformState {
  readonly random: RandomState
  readonly remaining: readonly string[]
}

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is no state of this sampler over these tasks. */
export function readState(state: Json, ids: readonly string[]): UniformState {
  const parsed = stateSchema.safeParse(state)
  if (!parsed.success) throw invalid('its state has another shape')
  const stranger = parsed.data.remaining.find((id) => !ids.includes(id))
  if (stranger !== undefined) throw invalid(`its pass holds "${stranger}", which is not among the ${ids.length} tasks`)
  return parsed.data
}

export function writeState({ random, remaining }: UniformState): Json {
  return { random: [...random], remaining: [...remaining] }
}

function invalid(why: string): RlenvError {
  return new RlenvError(`the sampler cannot go on from this checkpoint: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    plugin: '@rlenv/sampler-uniform',
    hook: 'sampler',
    fix: 'Resume with the sampler and the tasks that the run was started with.',
  })
}
