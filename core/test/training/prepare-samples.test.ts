import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import type { Algorithm, Learner, TrainingBatch } from '../../src/hooks/roles.ts'
import { policyLoss } from '../../src/training/loss/policy-loss.ts'
import { optimizeStep } from '../../src/training/optimize-step.ts'
import { assertLearnerScores, prepareSamples } from '../../src/training/prepare-samples.ts'
import type { ImportanceSampling, TrainingSample } from '../../src/vocabulary/training-sample.ts'
import { trainingSample } from './loss/training-sample.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries } from './training-run.ts'

const never = new AbortController().signal
const uniform = Math.log(1 / 3)
const truncate: ImportanceSampling = { level: 'token', mode: 'truncate', cap: 2, floor: 0, scope: 'trajectory' }

interface Parts {
  readonly advantage?: number
  readonly mask?: number
  /** Ratio of the learner's probability to the sampler's. */
  readonly ratio?: number
  readonly replayed?: boolean
}

/** One decision of one rollout of the first library's first task; an untrained tabular learner gives it log ⅓. */
function decision(index: number, { advantage = 1, mask = 1, ratio = 1, replayed = false }: Parts = {}): TrainingSample {
  const old = uniform - Math.log(ratio)
  const sample = trainingSample({ advantages: [advantage], old: [old], mask: [mask] })
  const span = { role: 'act', policyVersion: 0, temperature: 1, actions: [0], logProbs: [old] }
  const turn = { index: 0, messageIndex: 1, windowStart: 0, span, calls: [], truncated: false }
  const messages = [{ role: 'user' as const, content: libraries[0]!.tasks[0]!.instruction }]
  const trajectory = { ...sample.trajectory, id: `d0/${index}`, messages, turns: [turn] }
  return { ...sample, trajectory, turns: [0], ...(replayed ? { replayed } : {}) }
}

function batchOf(samples: readonly TrainingSample[], parts: Partial<TrainingBatch> = {}): TrainingBatch {
  return { samples, loss: policyLoss(), metrics: {}, ...parts }
}
const learnerOf = () => new TabularLearner(libraries)

/** A learner that counts how often it was asked, and answers for the samples it is handed what `answer` says. */
function asked(answer?: (samples: readonly TrainingSample[]) => readonly Float64Array[]) {
  const calls: { readonly weights: string; readonly ids: readonly string[] }[] = []
  const learner = learnerOf()
  const logProbs: NonNullable<Learner['logProbs']> = async (samples, weights) => {
    calls.push({ weights, ids: samples.map(({ trajectory }) => trajectory.id) })
    return answer ? answer(samples) : TabularLearner.prototype.logProbs.call(learner, samples, weights)
  }
  return { calls, learner: Object.assign(learner, { logProbs }) }
}

describe('prepareSamples', () => {
  test('asks nothing of a learner whose algorithm asks nothing', async () => {
    const { calls, learner } = asked()
    const samples = [decision(0)]
    expect(await prepareSamples(learner, batchOf(samples), never)).toEqual({ samples, metrics: {} })
    expect(calls).toEqual([])
  })

  test('weighs what is likelier under the learner than it was under the sampler', async () => {
    const samples = [decision(0, { ratio: 1.5 }), decision(1, { ratio: 4, replayed: true })]
    const { samples: prepared, metrics } = await prepareSamples(
      learnerOf(),
      batchOf(samples, { importanceSampling: truncate }),
      never,
    )
    expect(prepared[0]!.weights[0]).toBeCloseTo(1.5, 12)
    expect(prepared[1]!.weights[0]).toBe(2)
    for (const { oldLogProbs } of prepared) expect(oldLogProbs?.[0]).toBeCloseTo(uniform, 12)
    expect(metrics['is_weight/mean']).toBeCloseTo(1.75, 12)
    expect(metrics).toMatchObject({
      'is_weight/max': 2,
      'is_weight/cut_frac': 0.5,
      'replay/is_weight_mean': 2,
      'replay/is_weight_max': 2,
      'replay/is_weight_cut_frac': 1,
    })
  })

  test('multiplies the weights that the algorithm gave', async () => {
    const sample = { ...decision(0, { ratio: 1.5 }), weights: Float64Array.of(0.5) }
    const { samples } = await prepareSamples(learnerOf(), batchOf([sample], { importanceSampling: truncate }), never)
    expect(samples[0]!.weights[0]).toBeCloseTo(0.75, 12)
  })

  test('takes a penalty off the advantages, against the frozen reference', async () => {
    const learner = learnerOf()
    // One step of rate 2 on arm 0: weights 2 · (1 − ⅓) and twice −2 · ⅓
    await optimizeStep(learner, batchOf([decision(0)]), { optimizerSteps: 1, random: RandomStream.of(1) }, never)
    const trained = 4 / 3 - Math.log(Math.exp(4 / 3) + 2 * Math.exp(-2 / 3))
    const samples = [{ ...decision(0), behaviorLogProbs: Float64Array.of(trained) }, decision(1, { advantage: -1 })]
    const klInReward = { coefficient: 0.5, estimator: 'k1' } as const
    const prepared = await prepareSamples(learner, batchOf(samples, { klInReward }), never)
    const distance = trained - uniform
    expect(prepared.metrics.kl_in_reward).toBeCloseTo(distance / 2, 9)
    expect(prepared.samples[0]!.advantages[0]).toBeCloseTo(1 - 0.25 * distance, 9)
    expect(prepared.samples[1]!.advantages[0]).toBeCloseTo(-1 + 0.25 * distance, 9)
  })

  test('a penalty in the reward trains flat groups too', async () => {
    const klInReward = { coefficient: 0.5, estimator: 'k1' } as const
    const flat = [decision(0, { advantage: 0, ratio: 2 }), decision(1, { advantage: 0 })]
    const options = { optimizerSteps: 1, random: RandomStream.of(1) }
    expect(await optimizeStep(learnerOf(), batchOf(flat), options, never)).toMatchObject({ applied: 0, skipped: 1 })
    const report = await optimizeStep(learnerOf(), batchOf(flat, { klInReward }), options, never)
    expect(report).toMatchObject({ applied: 1 })
  })

  test('asks once for each kind of weights, before the first of several optimiser steps', async () => {
    const { calls, learner } = asked()
    const samples = [decision(0), decision(1, { advantage: -1 }), decision(2), decision(3)]
    const klInReward = { coefficient: 0.1, estimator: 'k1' } as const
    const batch = batchOf(samples, { importanceSampling: truncate, klInReward })
    const report = await optimizeStep(learner, batch, { optimizerSteps: 4, random: RandomStream.of(1) }, never)
    expect(report.applied).toBe(4)
    expect(calls.map(({ weights }) => weights)).toEqual(['trained', 'reference'])
  })

  test('does not ask about what cannot be trained', async () => {
    const { calls, learner } = asked()
    const samples = [decision(0), decision(1, { mask: 0 }), decision(2, { advantage: 0 })]
    await prepareSamples(learner, batchOf(samples, { importanceSampling: truncate }), never)
    expect(calls[0]?.ids).toEqual(['d0/0'])
    const masked = await prepareSamples(
      learner,
      batchOf([decision(1, { mask: 0 })], { importanceSampling: truncate }),
      never,
    )
    expect(masked.metrics).toEqual({})
    expect(calls).toHaveLength(1)
  })

  test('how often a step is cut changes no weight', async () => {
    const samples = [0, 1, 2].flatMap((index) => {
      const first = decision(index, { ratio: 1.2 + index })
      const [turn] = first.trajectory.turns
      const trajectory = { ...first.trajectory, turns: [turn!, { ...turn!, index: 1 }] }
      return [0, 1].map((own) => ({ ...first, trajectory, turns: [own] }))
    })
    const sequence = { ...truncate, level: 'sequence', cap: 100 } as const
    const seen = async (optimizerSteps: number) => {
      const weights = new Map<string, number>()
      const loss = policyLoss()
      const spy = {
        ...loss,
        evaluate: (input: Parameters<typeof loss.evaluate>[0]) => {
          const { trajectory, turns, weights: own } = input.sample
          weights.set(`${trajectory.id} ${turns}`, own[0]!)
          return loss.evaluate(input)
        },
      }
      const random = RandomStream.of(1)
      const batch = { samples, loss: spy, metrics: {}, importanceSampling: sequence }
      await optimizeStep(new TabularLearner(libraries, { rate: 0 }), batch, { optimizerSteps, random }, never)
      return new Map([...weights].sort())
    }
    const whole = await seen(1)
    expect(whole.get('d0/1 0')).toBeCloseTo(2.2 ** 2, 9)
    expect(await seen(3)).toEqual(whole)
  })

  test('a step whose actions are all masked by their weights is skipped, not refused', async () => {
    const batch = batchOf([decision(0, { ratio: 9 })], { importanceSampling: { ...truncate, mode: 'mask' } })
    const report = await optimizeStep(learnerOf(), batch, { optimizerSteps: 1, random: RandomStream.of(1) }, never)
    expect(report).toMatchObject({ applied: 0, skipped: 1, refused: [], metrics: { 'is_weight/cut_frac': 1 } })
  })

  test('a learner that cannot score is named before anything is rolled out, and when it is handed a batch', async () => {
    const learner = Object.assign(learnerOf(), { logProbs: undefined })
    const refusal = expect.objectContaining({
      code: 'RLENV_CONFIG_INVALID',
      message: expect.stringContaining('the learner tabular cannot tell the log-probabilities'),
    })
    const algorithm: Algorithm = { name: 'a', batch: () => batchOf([]), needsLogProbs: true }
    expect(() => assertLearnerScores(algorithm, learner as Learner)).toThrow(refusal)
    expect(() => assertLearnerScores({ ...algorithm, needsLogProbs: false }, learner as Learner)).not.toThrow()
    expect(() => assertLearnerScores(algorithm, learnerOf())).not.toThrow()
    const batch = batchOf([decision(0)], { importanceSampling: truncate })
    await expect(prepareSamples(learner as Learner, batch, never)).rejects.toEqual(refusal)
  })

  test.each([
    ['too few answers', () => [], 'no values for the 1 actions of d0/0'],
    ['answers of another length', () => [new Float64Array(2)], '2 values for the 1 actions of d0/0'],
    ['no number', () => [Float64Array.of(Number.NaN)], 'NaN for the trained action 0 of d0/0'],
    ['an impossible action', () => [Float64Array.of(-Infinity)], '-Infinity for the trained action 0 of d0/0'],
  ])('refuses %s', async (_what, answer, words) => {
    const batch = batchOf([decision(0)], { importanceSampling: truncate })
    await expect(prepareSamples(asked(answer).learner, batch, never)).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      message: expect.stringContaining(words),
    })
  })
})
