import { type Json, type RandomState, RlenvError } from 'rlenv'
import { z } from 'zod'
import type { GroupSignal } from './group-signal.ts'

const word = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1)

const stateSchema = z.strictObject({
  random: z.tuple([word, word, word, word]),
  signals: z.record(z.string(), z.array(z.enum(['differed', 'tied']))),
})

export interface AdaptiveState {
  readonly random: RandomState
  readonly signals: Readonly<Record<string, readonly GroupSignal[]>>
}

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is no state of this sampler over these tasks. */
export function readState(state: Json, ids: readonly string[]): AdaptiveState {
  const parsed = stateSchema.safeParse(state)
  if (!parsed.success) throw invalid('its state has another shape')
  const known = new Set(ids)
  const stranger = Object.keys(parsed.data.signals).find((id) => !known.has(id))
  if (stranger !== undefined) throw invalid(`it knows "${stranger}", which is not among the ${ids.length} tasks`)
  return parsed.data
}

export function writeState({ random, signals }: AdaptiveState): Json {
  const copies = Object.entries(signals).map(([id, latest]) => [id, [...latest]])
  return { random: [...random], signals: Object.fromEntries(copies) }
}

function invalid(why: string): RlenvError {
  return new RlenvError(`the sampler cannot go on from this checkpoint: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    plugin: '@rlenv/sampler-adaptive',
    hook: 'sampler',
    fix: 'Resume with the sampler and the tasks that the run was started with.',
  })
}
