import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregationScales } from '../../../src/training/loss/aggregation-scales.ts'
import { klEstimate } from '../../../src/training/loss/kl-estimate.ts'
import { type PolicyLossOptions, policyLoss } from '../../../src/training/loss/policy-loss.ts'
import type { Loss, TrainingSample } from '../../../src/vocabulary/training-sample.ts'
import { lossFixture } from './loss-fixture.ts'
import { trainingSample } from './training-sample.ts'

const base = { aggregation: 'token-mean', clip: { low: 0.2, high: 0.28 } } as const satisfies PolicyLossOptions

function single(loss: Loss, { ratio, A, weight = 1 }: { ratio: number; A: number; weight?: number }) {
  const sample = trainingSample({ advantages: [A], old: [-1], weights: [weight] })
  return loss.evaluate({ sample, logProbs: Float64Array.of(-1 + Math.log(ratio)), scales: Float64Array.of(1) })
}

describe('policyLoss', () => {
  test.each(lossFixture.clip.tokens)('the term at ratio $ratio and advantage $A is $loss', ({ ratio, A, loss }) => {
    expect(single(policyLoss(base), { ratio, A }).loss).toBeCloseTo(loss, 12)
  })

  test.each(lossFixture.clip.tokens)(
    'dual clip at 3 only bounds ratio $ratio when advantage $A is negative',
    (entry) => {
      const wanted = entry.with_dual_clip_3 ?? entry.loss
      expect(single(policyLoss({ ...base, dualClip: 3 }), entry).loss).toBeCloseTo(wanted, 12)
    },
  )

  test('without options it clips at 0.2 and 0.28, averages by sequence and asks for no reference', () => {
    expect(policyLoss()).toMatchObject({
      name: 'grpo',
      aggregation: 'sequence-mean',
      needsReference: false,
      options: { clip: { low: 0.2, high: 0.28 }, dualClip: null, kl: { coefficient: 0 } },
    })
  })

  test('low and high bound the ratio independently', () => {
    const loss = policyLoss({ ...base, clip: { low: 0.5, high: 0.1 } })
    expect(single(loss, { ratio: 1.2, A: 1 }).gradient[0]).toBe(0)
    expect(single(loss, { ratio: 0.6, A: -1 }).gradient[0]).toBeCloseTo(0.6, 12)
    expect(single(loss, { ratio: 0.4, A: -1 }).gradient[0]).toBe(0)
  })

  test('at equal weights the ratio is 1 and the gradient is minus the advantage', () => {
    const output = single(policyLoss(base), { ratio: 1, A: 0.7 })
    expect(output.gradient[0]).toBeCloseTo(-0.7, 12)
    expect(output.sums).toEqual({ count: 1, ratio: 1, clip_frac: 0, mismatch_kl: 0 })
    expect(output.maxima).toEqual({ ratio: 1 })
  })

  test("the sample's weight scales the surrogate but not the penalty", () => {
    const loss = policyLoss({ ...base, kl: { coefficient: 0.5, estimator: 'k2' } })
    const sample = trainingSample({ advantages: [2], old: [-1], weights: [0.25] })
    const logProbs = Float64Array.of(-1)
    const output = loss.evaluate({
      sample,
      logProbs,
      referenceLogProbs: Float64Array.of(-2),
      scales: Float64Array.of(1),
    })
    // surrogate 0.25 · −2 = −0.5; penalty 0.5 · (1² / 2) = 0.25
    expect(output.loss).toBeCloseTo(-0.25, 12)
    expect(output.gradient[0]).toBeCloseTo(-0.5 + 0.5, 12)
  })

  test('masked actions reach neither loss nor gradient nor sums', () => {
    const sample = trainingSample({ advantages: [1, 1, 1], old: [-1, -1, -1], mask: [0, 1, 0] })
    const logProbs = Float64Array.of(Number.NaN, -1, Number.POSITIVE_INFINITY)
    const output = policyLoss(base).evaluate({ sample, logProbs, scales: Float64Array.of(0, 1, 0) })
    expect(output.gradient).toEqual(Float64Array.of(0, -1, 0))
    expect(output.sums.count).toBe(1)
    expect(output.loss).toBe(-1)
  })

  test('trains the token that the mask names, at the log-probability that predicts it', () => {
    // ids 11 12 13 14; log-probabilities predict 12, 13, 14; only 13 is trained.
    const sample = trainingSample({ advantages: [1, 1, 1], old: [-0.1, -0.2, -0.3], mask: [0, 1, 0] })
    const logProbs = Float64Array.of(-0.1, -0.2, -0.3)
    const { gradient, sums } = policyLoss(base).evaluate({ sample, logProbs, scales: Float64Array.of(0, 1, 0) })
    expect([...gradient].findIndex((value) => value !== 0)).toBe(1)
    expect(sums.ratio).toBe(1)
  })

  test('a log-ratio out of all bounds stays finite', () => {
    const sample = trainingSample({ advantages: [-1], old: [-2000] })
    const output = policyLoss(base).evaluate({ sample, logProbs: Float64Array.of(0), scales: Float64Array.of(1) })
    expect(Number.isFinite(output.loss)).toBe(true)
    expect(output.gradient[0]).toBe(0)
  })

  test('asks for a reference exactly when the penalty has a coefficient', () => {
    expect(policyLoss(base).needsReference).toBe(false)
    expect(policyLoss({ ...base, kl: { coefficient: 0, estimator: 'k3' } }).needsReference).toBe(false)
    expect(policyLoss({ ...base, kl: { coefficient: 0.1, estimator: 'k3' } }).needsReference).toBe(true)
  })

  test('a learner that forgets the reference is told', () => {
    const loss = policyLoss({ ...base, kl: { coefficient: 0.1, estimator: 'k3' } })
    expect(() => single(loss, { ratio: 1, A: 1 })).toThrow('array of 0 actions has no action 0')
  })
})

describe('klEstimate', () => {
  test.each(lossFixture.kl.tokens)('k3 of policy $policy and reference $ref is $k3', ({ policy, ref, k3 }) => {
    expect(klEstimate('k3', policy, ref).value).toBeCloseTo(k3, 7)
  })

  test('k2 and k3 are never negative, and every slope is the derivative', () => {
    const nats = fc.double({ min: -6, max: 0, noNaN: true })
    fc.assert(
      fc.property(
        fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const),
        nats,
        nats,
        (kind, policy, reference) => {
          const { value, slope } = klEstimate(kind, policy, reference)
          if (kind !== 'k1') expect(value).toBeGreaterThanOrEqual(0)
          const h = 1e-5
          const rise = klEstimate(kind, policy + h, reference).value - klEstimate(kind, policy - h, reference).value
          expect(Math.abs(rise / (2 * h) - slope)).toBeLessThan(1e-5 * Math.max(1, Math.abs(slope)))
        },
      ),
    )
  })
})

const nats = fc.double({ min: -3, max: 0, noNaN: true })
const action = fc.record({
  old: nats,
  current: nats,
  reference: nats,
  advantage: fc.double({ min: -2, max: 2, noNaN: true }),
  weight: fc.double({ min: 0, max: 2, noNaN: true }),
  mask: fc.constantFrom(0, 1),
})
const options = fc.record({
  aggregation: fc.constantFrom('token-mean' as const, 'sequence-mean' as const, 'dr-grpo' as const),
  drGrpoLength: fc.constant(16),
  clip: fc.record({ low: fc.constantFrom(0.1, 0.2, 0.5), high: fc.constantFrom(0.1, 0.28, 0.6) }),
  dualClip: fc.constantFrom(null, 3),
  kl: fc.record({
    coefficient: fc.constantFrom(0, 0.1),
    estimator: fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const),
  }),
})
type Action = { old: number; current: number; reference: number; advantage: number; weight: number; mask: number }

function sampleOf(actions: readonly Action[]): TrainingSample {
  return trainingSample({
    advantages: actions.map(({ advantage }) => advantage),
    old: actions.map(({ old }) => old),
    mask: actions.map(({ mask }) => mask),
    weights: actions.map(({ weight }) => weight),
  })
}

/** Distance of the ratio from the nearest kink, in log-ratio; finite differences mean nothing across one. */
function fromKink(
  { old, current }: Action,
  { clip, dualClip }: { clip: { low: number; high: number }; dualClip: number | null },
): number {
  const kinks = [1 - clip.low, 1 + clip.high, ...(dualClip ? [dualClip] : [])].map(Math.log)
  return Math.min(...kinks.map((kink) => Math.abs(current - old - kink)))
}

describe('policyLoss for any sample', () => {
  test('its gradient is the derivative of its loss', () => {
    fc.assert(
      fc.property(options, fc.array(action, { minLength: 1, maxLength: 6 }), (settings, actions) => {
        const h = 1e-6
        fc.pre(actions.every((entry) => fromKink(entry, settings) > 10 * h))
        const loss = policyLoss(settings)
        const sample = sampleOf(actions)
        const scales = aggregationScales([sample], settings.aggregation, settings)[0]!
        const referenceLogProbs = Float64Array.from(actions, ({ reference }) => reference)
        const lossAt = (logProbs: Float64Array) => loss.evaluate({ sample, logProbs, referenceLogProbs, scales })
        const at = Float64Array.from(actions, ({ current }) => current)
        const { gradient } = lossAt(at)
        for (const t of actions.keys()) {
          const up = lossAt(at.with(t, at[t]! + h)).loss
          const down = lossAt(at.with(t, at[t]! - h)).loss
          expect(Math.abs((up - down) / (2 * h) - gradient[t]!)).toBeLessThan(1e-6)
        }
      }),
    )
  })

  test('cutting a step into microbatches of any size changes nothing', () => {
    const sequences = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(options, sequences, fc.nat(5), (settings, rows, cut) => {
        const loss = policyLoss(settings)
        const samples = rows.map(sampleOf)
        const scales = aggregationScales(samples, settings.aggregation, settings)
        const outputs = rows.map((actions, index) =>
          loss.evaluate({
            sample: samples[index]!,
            logProbs: Float64Array.from(actions, ({ current }) => current),
            referenceLogProbs: Float64Array.from(actions, ({ reference }) => reference),
            scales: scales[index]!,
          }),
        )
        const sum = (part: typeof outputs) => part.reduce((total, output) => total + output.loss, 0)
        expect(sum(outputs.slice(0, cut)) + sum(outputs.slice(cut))).toBeCloseTo(sum(outputs), 12)
        const again = aggregationScales([...samples].reverse(), settings.aggregation, settings).reverse()
        expect(again).toEqual(scales)
      }),
    )
  })
})
