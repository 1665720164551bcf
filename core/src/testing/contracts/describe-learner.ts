import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { Learner, ScaledSample } from '../../hooks/roles.ts'
import { policyLoss } from '../../training/loss/policy-loss.ts'
import type { Loss, TrainingSample } from '../../vocabulary/training-sample.ts'
import { testSlotContext } from '../test-context.ts'
import { pipelineOf } from './pipeline-of.ts'

const { signal } = new AbortController()

async function learnerOf(plugin: Plugin): Promise<Learner> {
  const pipeline = await pipelineOf(plugin)
  return pipeline.slot('learner', testSlotContext(1))
}

function scaled(sample: TrainingSample, factor: number): ScaledSample {
  return { sample, scales: Float64Array.from(sample.mask, (m) => (m * factor) / Math.max(1, sample.mask.length)) }
}

async function update(learner: Learner, samples: readonly ScaledSample[], loss: Loss): Promise<number> {
  await learner.accumulate(samples, loss, signal)
  const { applied } = await learner.step(signal)
  expect(applied).toBe(true)
  return learner.publish(signal)
}

/** Log-probabilities under the weights as they are now, read off through a loss that changes nothing. */
async function logProbsOf(learner: Learner, sample: TrainingSample): Promise<number[]> {
  let seen: number[] = []
  const probe: Loss = {
    name: 'probe',
    options: {},
    aggregation: 'token-mean',
    needsReference: false,
    evaluate: ({ logProbs }) => {
      seen = [...logProbs]
      return { loss: 0, gradient: new Float64Array(logProbs.length), sums: { count: 0 } }
    },
  }
  await learner.accumulate([scaled(sample, 1)], probe, signal)
  await learner.step(signal)
  return seen
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  for (const [t, value] of actual.entries()) expect(value).toBeCloseTo(expected[t] ?? Number.NaN, 9)
}

/**
 * The promises every `learner` plugin keeps. Call it from the plugin's own test file.
 *
 * @param samples - at least two training samples that this kind of learner can score, for example of rollouts of its own policy.
 */
export function describeLearner(create: () => Plugin, samples: () => Promise<readonly TrainingSample[]>): void {
  const loss = policyLoss({ aggregation: 'token-mean', clip: { low: 0.2, high: 0.28 } })
  let folder = ''
  let batch: readonly ScaledSample[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rlenv-learner-'))
    batch = (await samples()).map((sample, index) => scaled(sample, index % 2 === 0 ? 1 : 0.5))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const first = () => (batch[0] as ScaledSample).sample

  describe(`${create().name} keeps the learner contract`, () => {
    test('scores what it sampled with the log-probability that it recorded', async () => {
      const seen = await logProbsOf(await learnerOf(create()), first())
      expectClose(seen, [...first().behaviorLogProbs])
    })
    test('tells the log-probabilities of given actions without changing anything', async ({ skip }) => {
      const [asked, unasked] = [await learnerOf(create()), await learnerOf(create())]
      const { logProbs } = asked
      if (logProbs === undefined) return skip('this learner cannot score given actions')
      const scored = batch.map(({ sample }) => sample)
      const now = async (weights: 'trained' | 'reference') => {
        const answer = await logProbs.call(asked, scored, weights, signal)
        expect(answer.map(({ length }) => length)).toEqual(scored.map(({ actions }) => actions.length))
        return answer.flatMap((values) => [...values])
      }
      const sampled = scored.flatMap(({ behaviorLogProbs }) => [...behaviorLogProbs])
      expectClose(await now('reference'), sampled)
      await asked.accumulate(batch, loss, signal)
      expectClose(await now('trained'), sampled)
      await asked.step(signal)
      const stepped = await now('trained')
      expect(stepped.some((value, t) => Math.abs(value - (sampled[t] ?? 0)) > 1e-9)).toBe(true)
      expectClose(await now('reference'), sampled)
      await asked.publish(signal)
      await update(unasked, batch, loss)
      expect(asked.policyVersion).toBe(unasked.policyVersion)
      const unaskedNow: number[] = []
      for (const sample of scored) unaskedNow.push(...(await logProbsOf(unasked, sample)))
      expectClose(stepped, unaskedNow)
    })
    test('learns the same from one batch as from its halves', async () => {
      const [whole, halves] = [await learnerOf(create()), await learnerOf(create())]
      await update(whole, batch, loss)
      await halves.accumulate(batch.slice(0, 1), loss, signal)
      await update(halves, batch.slice(1), loss)
      expectClose(await logProbsOf(halves, first()), await logProbsOf(whole, first()))
    })
    test('counts its published versions up by one', async () => {
      const learner = await learnerOf(create())
      const start = learner.policyVersion
      expect(await update(learner, batch, loss)).toBe(start + 1)
      expect(learner.policyVersion).toBe(start + 1)
      expect(learner.policy?.policyVersion ?? start + 1).toBe(start + 1)
    })
    test('applies nothing when nothing was accumulated', async () => {
      const learner = await learnerOf(create())
      const before = await logProbsOf(learner, first())
      expect(await learner.step(signal)).toMatchObject({ applied: false })
      expect(await logProbsOf(learner, first())).toEqual(before)
    })
    test('refuses a gradient that is not finite and keeps its weights', async () => {
      const learner = await learnerOf(create())
      const before = await logProbsOf(learner, first())
      const poisoned: Loss = {
        ...loss,
        evaluate: (input) => {
          const output = loss.evaluate(input)
          output.gradient[0] = Number.NaN
          return output
        },
      }
      await learner.accumulate(batch, poisoned, signal)
      const report = await learner.step(signal)
      expect(report.applied).toBe(false)
      expect(report.reason).toMatch(/finite/)
      expect(await logProbsOf(learner, first())).toEqual(before)
    })
    test('comes back from a folder exactly as it was saved, optimiser included', async () => {
      const [saved, loaded] = [await learnerOf(create()), await learnerOf(create())]
      await update(saved, batch, loss)
      const directory = await mkdtemp(join(folder, 'state-'))
      await saved.save(directory)
      await loaded.load(directory)
      expect(loaded.policyVersion).toBe(saved.policyVersion)
      await update(saved, batch, loss)
      await update(loaded, batch, loss)
      expect(await logProbsOf(loaded, first())).toEqual(await logProbsOf(saved, first()))
    })
    test('refuses a folder that holds no state of its own', async () => {
      const directory = await mkdtemp(join(folder, 'stranger-'))
      await writeFile(join(directory, 'readme.txt'), 'no weights here')
      const refused = expect.objectContaining({ code: 'RLENV_CHECKPOINT_INVALID' })
      await expect((await learnerOf(create())).load(directory)).rejects.toEqual(refused)
    })
  })
}
