import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregationScales } from '../../../src/training/loss/aggregation-scales.ts'
import { policyLoss } from '../../../src/training/loss/policy-loss.ts'
import type { TrainingSample } from '../../../src/vocabulary/training-sample.ts'
import { trainingSample } from './training-sample.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const nats = fc.double({ min: -3, max: 0, noNaN: true })
const action = fc.record({
  behavior: nats,
  old: nats,
  current: nats,
  reference: nats,
  advantage: fc.double({ min: -2, max: 2, noNaN: true }),
  weight: fc.double({ min: 0, max: 2, noNaN: true }),
  mask: fc.constantFrom(0, 1),
})
const common = {
  aggregation: fc.constantFrom('token-mean' as const, 'sequence-mean' as const, 'dr-grpo' as const),
  drGrpoLength: fc.constant(16),
  importanceSamplingLevel: fc.constantFrom('token' as const, 'sequence' as const),
  clip: fc.record({ low: fc.constantFrom(0.1, 0.2, 0.5), high: fc.constantFrom(0.1, 0.28, 0.6) }),
  kl: fc.record({
    coefficient: fc.constantFrom(0, 0.1),
    estimator: fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const),
  }),
}
const options = fc.oneof(
  fc.record({ ...common, objective: fc.constant('clip' as const), dualClip: fc.constantFrom(null, 3) }),
  fc.record({ ...common, objective: fc.constant('cispo' as const), dualClip: fc.constant(null) }),
)
type Options = typeof options extends fc.Arbitrary<infer T> ? T : never
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** With or without log-probabilities by the learner from before the step. */
function sampleOf(actions: readonly Action[], anchored = true): TrainingSample {
  return trainingSample({
    advantages: actions.map(({ advantage }) => advantage),
    old: actions.map(({ behavior }) => behavior),
    mask: actions.map(({ mask }) => mask),
    weights: actions.map(({ weight }) => weight),
    ...(anchored ? { learner: actions.map(({ old }) => old) } : {}),
  })
}

/** Distance of the nearest ratio from a kink, in log-ratio; finite differences mean nothing across one. */
function fromKink(actions: readonly Action[], anchored: boolean, { clip, dualClip, ...settings }: Options): number {
  const trained = actions.filter(({ mask }) => mask === 1)
  if (settings.objective === 'cispo' || trained.length === 0) return Number.POSITIVE_INFINITY
  const own = trained.map(({ current, old, behavior }) => current - (anchored ? old : behavior))
  const ratios = settings.importanceSamplingLevel === 'token' ? own : [sum(own) / own.length]
  const kinks = [1 - clip.low, 1 + clip.high, ...(dualClip ? [dualClip] : [])].map(Math.log)
  return Math.min(...kinks.flatMap((kink) => ratios.map((ratio) => Math.abs(ratio - kink))))
}

const currentOf = (actions: readonly Action[]) => Float64Array.from(actions, ({ current }) => current)
const referenceOf = (actions: readonly Action[]) => Float64Array.from(actions, ({ reference }) => reference)

describe('policyLoss for any sample', () => {
  test('its gradient is the derivative of its loss, with what carries no gradient held', () => {
    const actionLists = fc.array(action, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(options, actionLists, fc.boolean(), (settings, actions, anchored) => {
        const h = 1e-6
        fc.pre(fromKink(actions, anchored, settings) > 10 * h)
        const loss = policyLoss(settings)
        const sample = sampleOf(actions, anchored)
        const scales = aggregationScales([sample], settings.aggregation, settings)[0]!
        const at = currentOf(actions)
        const input = { sample, referenceLogProbs: referenceOf(actions), scales }
        const { gradient } = loss.evaluate({ ...input, logProbs: at })
        const lossAt = (logProbs: Float64Array) => loss.evaluate({ ...input, logProbs, heldLogProbs: at }).loss
        for (const t of actions.keys()) {
          const slope = (lossAt(at.with(t, at[t]! + h)) - lossAt(at.with(t, at[t]! - h))) / (2 * h)
          expect(Math.abs(slope - gradient[t]!)).toBeLessThan(2e-6)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('at equal weights everything is the plain advantage gradient of REINFORCE', () => {
    fc.assert(
      fc.property(options, fc.array(action, { minLength: 1, maxLength: 6 }), (settings, actions) => {
        const same = actions.map((entry) => ({ ...entry, old: entry.behavior, current: entry.behavior, weight: 1 }))
        const loss = policyLoss({ ...settings, kl: { coefficient: 0, estimator: 'k3' } })
        const sample = sampleOf(same)
        const scales = aggregationScales([sample], settings.aggregation, settings)[0]!
        const { gradient } = loss.evaluate({ sample, logProbs: currentOf(same), scales })
        for (const [t, { advantage }] of same.entries()) expect(gradient[t]).toBeCloseTo(-scales[t]! * advantage, 12)
      }),
    )
  })

  test('masked actions may hold anything', () => {
    const poison = fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1e300)
    fc.assert(
      fc.property(options, fc.array(action, { minLength: 1, maxLength: 6 }), poison, (settings, actions, value) => {
        const spoilt = actions.map((entry) => {
          if (entry.mask === 1) return entry
          return { ...entry, behavior: value, old: value, current: value, reference: value, advantage: value }
        })
        const outputs = [actions, spoilt].map((list) => {
          const sample = sampleOf(list)
          const scales = aggregationScales([sample], settings.aggregation, settings)[0]!
          const input = { sample, logProbs: currentOf(list), referenceLogProbs: referenceOf(list), scales }
          return policyLoss(settings).evaluate(input)
        })
        expect(outputs[1]).toEqual(outputs[0])
      }),
    )
  })

  test('cutting a step into microbatches of any size changes nothing', () => {
    const sequences = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(options, sequences, fc.nat(5), (settings, rows, cut) => {
        const loss = policyLoss(settings)
        const samples = rows.map((row) => sampleOf(row))
        const scales = aggregationScales(samples, settings.aggregation, settings)
        const outputs = rows.map((actions, index) =>
          loss.evaluate({
            sample: samples[index]!,
            logProbs: currentOf(actions),
            referenceLogProbs: referenceOf(actions),
            scales: scales[index]!,
          }),
        )
        const total = (part: typeof outputs) => sum(part.map((output) => output.loss))
        expect(total(outputs.slice(0, cut)) + total(outputs.slice(cut))).toBeCloseTo(total(outputs), 12)
        const again = aggregationScales([...samples].reverse(), settings.aggregation, settings).reverse()
        expect(again).toEqual(scales)
      }),
    )
  })
})
