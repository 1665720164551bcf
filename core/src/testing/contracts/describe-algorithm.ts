import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { TrainingBatch } from '../../hooks/roles.ts'
import type { TrajectoryGroup } from '../../vocabulary/trajectory.ts'
import { testSlotContext } from '../test-context.ts'
import { groupOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

async function batchOf(plugin: Plugin, groups: readonly TrajectoryGroup[]): Promise<TrainingBatch> {
  const pipeline = await pipelineOf(plugin)
  const algorithm = await pipeline.slot('algorithm', testSlotContext())
  return algorithm.batch(groups)
}

const everyAdvantage = (batch: TrainingBatch) => batch.samples.flatMap(({ advantages }) => [...advantages])

/** The promises every `algorithm` plugin keeps. Call it from the plugin's own test file. */
export function describeAlgorithm(create: () => Plugin): void {
  const mixed = [groupOf([1, -1, 1, -1], { ordinal: 0 }), groupOf([1, 'environment_fault', -1], { ordinal: 1 })]

  describe(`${create().name} keeps the algorithm contract`, () => {
    test('gives arrays of one length per sample', async () => {
      for (const sample of (await batchOf(create(), mixed)).samples) {
        const lengths = [sample.mask, sample.behaviorLogProbs, sample.advantages, sample.weights].map((a) => a.length)
        expect(new Set(lengths)).toEqual(new Set([sample.actions.length]))
      }
    })
    test('takes actions and log-probabilities from the spans as they were sampled', async () => {
      for (const sample of (await batchOf(create(), mixed)).samples) {
        const spans = sample.turns.map((turn) => sample.trajectory.turns[turn]?.span)
        expect([...sample.actions]).toEqual(spans.flatMap((span) => [...(span?.actions ?? [])]))
        expect([...sample.behaviorLogProbs]).toEqual(spans.flatMap((span) => [...(span?.logProbs ?? [])]))
      }
    })
    test('raises the better member and lowers the worse one', async () => {
      const { samples } = await batchOf(create(), [groupOf([1, -1])])
      const advantage = (id: string) => samples.find(({ trajectory }) => trajectory.id === id)?.advantages[0] ?? 0
      expect(advantage('d0/0')).toBeGreaterThan(0)
      expect(advantage('d0/1')).toBeLessThan(0)
    })
    test('draws no sample from a fault', async () => {
      const ids = (await batchOf(create(), mixed)).samples.map(({ trajectory }) => trajectory.id)
      expect(ids).not.toContain('d1/1')
    })
    test('leaves the other advantages alone when a member faults instead of being absent', async () => {
      const withFault = everyAdvantage(await batchOf(create(), [groupOf([1, -1, -1, 'environment_fault'])]))
      expect(withFault).toEqual(everyAdvantage(await batchOf(create(), [groupOf([1, -1, -1])])))
    })
    test.each([
      ['a flat group', [0.1, 0.1, 0.1]],
      ['a group of faults', ['environment_fault', 'unscored']],
      ['a single survivor', [1, 'environment_fault']],
    ] as const)('finds no gradient in %s', async (_what, specs) => {
      expect(everyAdvantage(await batchOf(create(), [groupOf([...specs])])).filter((a) => a !== 0)).toEqual([])
    })
    test('never lets a reward that is not finite into an advantage', async () => {
      const advantages = everyAdvantage(
        await batchOf(create(), [groupOf([1, Number.NaN, -1, Number.POSITIVE_INFINITY])]),
      )
      expect(advantages.filter((a) => !Number.isFinite(a))).toEqual([])
    })
    test('answers no groups with no samples', async () => {
      expect((await batchOf(create(), [])).samples).toEqual([])
    })
    test('names its loss and gives its options in a form that JSON can carry', async () => {
      const { loss } = await batchOf(create(), mixed)
      expect(loss.name).not.toBe('')
      expect(JSON.parse(JSON.stringify(loss.options))).toEqual(loss.options)
    })
    test.each([1e-4, 0.05])(
      'gives a loss whose gradient is its slope %d nats from where it sampled',
      async (distance) => {
        const { samples, loss } = await batchOf(create(), mixed)
        const [sample] = samples
        if (!sample) throw new Error('no sample for a group whose rewards differ')
        const scales = Float64Array.from(sample.mask, (m) => m / sample.mask.length)
        const reference = sample.behaviorLogProbs.map((p) => p - 0.3)
        const heldLogProbs = sample.behaviorLogProbs.map((p) => p + distance)
        const at = (shift: number) => {
          const logProbs = heldLogProbs.map((p, i) => (i === 0 ? p + shift : p))
          return loss.evaluate({
            sample,
            logProbs,
            heldLogProbs,
            scales,
            ...(loss.needsReference ? { referenceLogProbs: reference } : {}),
          })
        }
        const slope = (at(1e-6).loss - at(-1e-6).loss) / 2e-6
        expect(at(0).gradient[0]).toBeCloseTo(slope, 5)
      },
    )
  })
}
