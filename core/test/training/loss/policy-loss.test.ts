import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregationScales } from '../../../src/training/loss/aggregation-scales.ts'
import { klEstimate } from '../../../src/training/loss/kl-estimate.ts'
import { type PolicyLossOptions, policyLoss } from '../../../src/training/loss/policy-loss.ts'
import type { Loss } from '../../../src/vocabulary/training-sample.ts'
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
      options: {
        objective: 'clip',
        importanceSamplingLevel: 'token',
        clip: { low: 0.2, high: 0.28 },
        dualClip: null,
        kl: { coefficient: 0 },
      },
    })
  })

  test('is called by what it is', () => {
    expect(policyLoss({ importanceSamplingLevel: 'sequence' }).name).toBe('gspo')
    expect(policyLoss({ objective: 'cispo', importanceSamplingLevel: 'sequence' }).name).toBe('cispo')
    expect(policyLoss({ objective: 'cispo', name: 'mine' }).name).toBe('mine')
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

/** A loss over one sequence, given by ratios against the learner's old weights; every action weighs 1 / length. */
function sequence(loss: Loss, ratios: readonly number[], advantages: readonly number[], mask = ratios.map(() => 1)) {
  const sample = trainingSample({ advantages, old: ratios.map(() => -1), mask })
  const scales = aggregationScales([sample], 'sequence-mean')[0]!
  return loss.evaluate({ sample, logProbs: Float64Array.from(ratios, (ratio) => -1 + Math.log(ratio)), scales })
}

describe('policyLoss on the level of sequences', () => {
  const gspo = policyLoss({ importanceSamplingLevel: 'sequence', clip: { low: 0.2, high: 0.28 } })

  // s is the geometric mean of the ratios; the sequence's term is −min(s · A, clip(s, 0.8, 1.28) · A).
  test.each([
    { ratios: [2, 0.5], A: 1, s: 1, loss: -1, slope: -0.5 },
    { ratios: [1.44, 1], A: 1, s: 1.2, loss: -1.2, slope: -0.6 },
    { ratios: [1.96, 1], A: 1, s: 1.4, loss: -1.28, slope: 0 },
    { ratios: [1.96, 1], A: -1, s: 1.4, loss: 1.4, slope: 0.7 },
    { ratios: [0.49, 1], A: 1, s: 0.7, loss: -0.7, slope: -0.35 },
    { ratios: [0.49, 1], A: -1, s: 0.7, loss: 0.8, slope: 0 },
  ])('ratios $ratios with advantage $A give $loss and the slope $slope', ({ ratios, A, s, loss, slope }) => {
    const output = sequence(gspo, ratios, [A, A])
    expect(output.loss).toBeCloseTo(loss, 12)
    for (const value of output.gradient) expect(value).toBeCloseTo(slope, 12)
    expect(output.maxima?.ratio).toBeCloseTo(s, 12)
  })

  test('dual clip bounds the ratio of a sequence', () => {
    const loss = policyLoss({ importanceSamplingLevel: 'sequence', dualClip: 3, clip: { low: 0.2, high: 0.28 } })
    const output = sequence(loss, [25, 1], [-1, -1])
    expect(output.loss).toBeCloseTo(3, 12)
    expect([...output.gradient]).toEqual([0, 0])
  })

  test('every action keeps an advantage of its own under the ratio of its sequence', () => {
    // s = 1.2; weights 1 / 2: slopes −½ · 1.2 · A
    const output = sequence(gspo, [1.44, 1], [1, -0.5])
    expect(output.gradient[0]).toBeCloseTo(-0.6, 12)
    expect(output.gradient[1]).toBeCloseTo(0.3, 12)
    expect(output.loss).toBeCloseTo(-0.6 + 0.3, 12)
  })

  test('masked actions are no part of the mean', () => {
    const output = sequence(gspo, [1.44, 0, 1, Number.NaN], [1, 1, 1, 1], [1, 0, 1, 0])
    expect(output.loss).toBeCloseTo(-1.2, 12)
    expect([...output.gradient].map((value) => Number(value.toFixed(12)))).toEqual([-0.6, 0, -0.6, 0])
  })

  test('with equal advantages its gradient is the derivative of the sequence ratio itself, nothing held', () => {
    const ratio = fc.double({ min: 0.5, max: 2, noNaN: true })
    fc.assert(
      fc.property(fc.array(ratio, { minLength: 1, maxLength: 5 }), fc.constantFrom(-0.7, 1.3), (ratios, A) => {
        const h = 1e-6
        const advantages = ratios.map(() => A)
        const s = ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / ratios.length)
        fc.pre([0.8, 1.28].every((kink) => Math.abs(Math.log(s / kink)) > 10 * h))
        const { gradient } = sequence(gspo, ratios, advantages)
        for (const [t, at] of ratios.entries()) {
          const lossAt = (shift: number) => sequence(gspo, ratios.with(t, at * Math.exp(shift)), advantages).loss
          expect((lossAt(h) - lossAt(-h)) / (2 * h)).toBeCloseTo(gradient[t]!, 6)
        }
      }),
    )
  })
})

describe('policyLoss with the objective cispo', () => {
  const cispo = policyLoss({ objective: 'cispo', aggregation: 'token-mean', clip: { low: 0.5, high: 1 } })

  // −clip(ratio, 0.5, 2) · A · logProb at logProb = −1 + log ratio; the slope lacks the logProb.
  test.each([
    { ratio: 1, A: 1, weight: 1, clipped: 0 },
    { ratio: 1.5, A: -2, weight: 1.5, clipped: 0 },
    { ratio: 4, A: 1, weight: 2, clipped: 1 },
    { ratio: 4, A: -1, weight: 2, clipped: 1 },
    { ratio: 0.1, A: 1, weight: 0.5, clipped: 1 },
    { ratio: 0.1, A: -1, weight: 0.5, clipped: 1 },
  ])('ratio $ratio weighs advantage $A by $weight and drops no action', ({ ratio, A, weight, clipped }) => {
    const output = single(cispo, { ratio, A })
    expect(output.gradient[0]).toBeCloseTo(-weight * A, 12)
    expect(output.loss).toBeCloseTo(-weight * A * (-1 + Math.log(ratio)), 12)
    expect(output.sums.clip_frac).toBe(clipped)
  })

  test('a lower clip of 1 leaves the ratio without a lower bound', () => {
    const open = policyLoss({ objective: 'cispo', clip: { low: 1, high: 4 } })
    expect(single(open, { ratio: 0.001, A: 1 }).gradient[0]).toBeCloseTo(-0.001, 12)
    expect(single(open, { ratio: 100, A: 1 }).gradient[0]).toBeCloseTo(-5, 12)
  })

  test('bounds the ratio of a sequence on the level of sequences', () => {
    const loss = policyLoss({ objective: 'cispo', importanceSamplingLevel: 'sequence', clip: { low: 0.5, high: 1 } })
    // √(16 · 1) = 4, bounded to 2; each action ½ of the sequence
    expect([...sequence(loss, [16, 1], [1, 1]).gradient]).toEqual([-1, -1])
  })

  test('refuses a dual clip, which it has no place for', () => {
    expect(() => policyLoss({ objective: 'cispo', dualClip: 3 })).toThrow(
      expect.objectContaining({ code: 'RLENV_CONFIG_INVALID' }),
    )
  })
})

describe('policyLoss with log-probabilities by the learner from before the step', () => {
  test('starts its ratio from them and leaves the rest to the weights', () => {
    // sampler −1, learner before −1.5, learner now −1.5 + log 1.2: ratio 1.2, weight 0.5
    const sample = trainingSample({ advantages: [2], old: [-1], learner: [-1.5], weights: [0.5] })
    const logProbs = Float64Array.of(-1.5 + Math.log(1.2))
    const output = policyLoss(base).evaluate({ sample, logProbs, scales: Float64Array.of(1) })
    expect(output.loss).toBeCloseTo(-0.5 * 1.2 * 2, 12)
    expect(output.sums.ratio).toBeCloseTo(1.2, 12)
    // mismatch of sampler and learner now: d = logProb − (−1), k3 of behaviour against it
    expect(output.sums.mismatch_kl).toBeCloseTo(klEstimate('k3', -1, logProbs[0]!).value, 12)
  })

  test('tells the ratios of replayed samples apart', () => {
    const sample = { ...trainingSample({ advantages: [1], old: [-1] }), replayed: true }
    const logProbs = Float64Array.of(-1 + Math.log(1.1))
    const { sums, maxima } = policyLoss(base).evaluate({ sample, logProbs, scales: Float64Array.of(1) })
    expect(sums.replayed_count).toBe(1)
    expect(sums.replayed_ratio).toBeCloseTo(1.1, 12)
    expect(maxima?.replayed_ratio).toBeCloseTo(1.1, 12)
  })
})
