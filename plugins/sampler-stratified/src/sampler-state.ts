import { type Json, type RandomState, RlenvError } from 'rlenv'
import { z } from 'zod'

const word = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1)

const stateSchema = z.strictObject({
  random: z.tuple([word, word, word, word]),
  /** Tasks that each stratum's pass still owes, in order. */
  remaining: z.record(z.string(), z.array(z.string())),
  drawn: z.record(z.string(), z.int().min(0)),
})

export interface StratifiedState {
  readonly random: RandomState
  readonly remaining: Readonly<Record<string, readonly string[]>>
  readonly drawn: Readonly<Record<string, number>>
}

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is no state of this sampler over these strata. */
export function readState(state: Json, strata: ReadonlyMap<string, readonly string[]>): StratifiedState {
  const parsed = stateSchema.safeParse(state)
  if (!parsed.success) throw invalid('its state has another shape')
  const { remaining, drawn } = parsed.data
  const stranger = [...Object.keys(remaining), ...Object.keys(drawn)].find((name) => !strata.has(name))
  if (stranger !== undefined) throw invalid(`it knows the stratum "${stranger}", which is not there`)
  for (const [name, ids] of Object.entries(remaining)) {
    const unknown = ids.find((id) => !strata.get(name)?.includes(id))
    if (unknown !== undefined) throw invalid(`"${unknown}" does not belong to the stratum "${name}"`)
  }
  return parsed.data
}

export function writeState({ random, remaining, drawn }: StratifiedState): Json {
  const copies = Object.entries(remaining).map(([name, ids]) => [name, [...ids]])
  return { random: [...random], remaining: Object.fromEntries(copies), drawn: { ...drawn } }
}

function invalid(why: string): RlenvError {
  return new RlenvError(`the sampler cannot go on from this checkpoint: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    plugin: '@rlenv/sampler-stratified',
    hook: 'sampler',
    fix: 'Resume with the sampler, its options and the tasks that the run was started with.',
  })
}
