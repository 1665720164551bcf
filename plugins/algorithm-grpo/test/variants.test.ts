import { cispo, dapo, drGrpo, gspo, rloo } from '@rlenv/algorithm-grpo'
import { assemblePipeline, type Plugin, type TrainingBatch } from 'rlenv'
import { groupOf, testSlotContext } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

/** The batch of one pass among four, and what the algorithm is called. */
async function batchOf(plugin: Plugin): Promise<TrainingBatch & { readonly name: string }> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [plugin] }])
  const algorithm = await pipeline.slot('algorithm', testSlotContext())
  return { ...(await algorithm.batch([groupOf([1, 0, 0, 0])])), name: algorithm.name }
}
const advantageOf = ({ samples }: TrainingBatch) => samples[0]?.advantages[0]

describe('variants of group-relative optimisation', () => {
  test('drGrpo divides by neither the deviation nor the length', async () => {
    const batch = await batchOf(drGrpo({ length: 8 }))
    expect(advantageOf(batch)).toBeCloseTo(0.75, 12)
    expect(batch.loss).toMatchObject({ name: 'grpo', aggregation: 'dr-grpo', drGrpoLength: 8 })
  })

  test('dapo clips higher, averages over actions and leaves truncated rollouts out', async () => {
    const batch = await batchOf(dapo())
    expect(batch.loss).toMatchObject({
      name: 'grpo',
      aggregation: 'token-mean',
      needsReference: false,
      options: { clip: { low: 0.2, high: 0.28 } },
    })
    const group = groupOf([1, -1])
    const [first, second] = group.members
    const trajectory = { ...first!.trajectory, stopReason: { kind: 'truncated', limit: 'turns' } } as const
    const pipeline = await assemblePipeline([{ name: 'test', plugins: [dapo()] }])
    const algorithm = await pipeline.slot('algorithm', testSlotContext())
    const { samples } = await algorithm.batch([{ ...group, members: [{ ...first!, trajectory }, second!] }])
    expect(samples.map(({ mask }) => [...mask])).toEqual([
      [0, 0],
      [1, 1],
    ])
  })

  test('gspo has one ratio per sequence and the narrow clip of its paper', async () => {
    const batch = await batchOf(gspo())
    expect(batch.name).toBe('gspo')
    expect(batch.loss).toMatchObject({
      name: 'gspo',
      aggregation: 'sequence-mean',
      options: { importanceSamplingLevel: 'sequence', objective: 'clip', clip: { low: 3e-4, high: 4e-4 } },
    })
  })

  test('cispo bounds its ratio to [0, 5] and averages over actions', async () => {
    const batch = await batchOf(cispo())
    expect(batch.name).toBe('cispo')
    expect(batch.loss).toMatchObject({
      name: 'cispo',
      aggregation: 'token-mean',
      options: { objective: 'cispo', clip: { low: 1, high: 4 } },
    })
  })

  test('rloo compares a rollout with its peers and sums over its actions', async () => {
    const batch = await batchOf(rloo())
    expect(batch.name).toBe('rloo')
    // 1 against peers that average 0; not divided by anything
    expect(advantageOf(batch)).toBe(1)
    expect(batch.loss).toMatchObject({ name: 'grpo', aggregation: 'dr-grpo', drGrpoLength: 1 })
  })

  test.each([
    ['dapo', dapo({ clip: { high: 0.4 } }), { low: 0.2, high: 0.4 }],
    ['gspo', gspo({ clip: { low: 1e-3 } }), { low: 1e-3, high: 4e-4 }],
    ['cispo', cispo({ clip: { high: 1 } }), { low: 1, high: 1 }],
  ])('one bound of %s may be changed without the other', async (_name, plugin, clip) => {
    expect((await batchOf(plugin)).loss.options).toMatchObject({ clip })
  })

  test('what a factory chooses, its options may choose otherwise', async () => {
    expect((await batchOf(dapo({ aggregation: 'sequence-mean' }))).loss.aggregation).toBe('sequence-mean')
    expect((await batchOf(rloo({ aggregation: 'token-mean' }))).loss.aggregation).toBe('token-mean')
  })
})
