import { aggregationScales, groupAdvantages, policyLoss, RandomStream } from 'rlenv'
import { expect, test } from 'vitest'
import { EmbeddedLearner } from '../../src/learner/embedded-learner.ts'
import { defaultSettings } from '../default-settings.ts'
import { judgeLibrary, library, sampleOf } from '../play-library.ts'

const { signal } = new AbortController()
const loss = policyLoss({ aggregation: 'sequence-mean', clip: { low: 0.2, high: 0.28 } })
const tasks = [...library.tasks.keys()]

/** Share of passed rollouts over all tasks. */
async function success({ policy }: EmbeddedLearner, rollouts: number): Promise<number> {
  let passed = 0
  for (const task of tasks) {
    for (let seed = 0; seed < rollouts; seed++) {
      if ((await judgeLibrary({ policy, task, seed: 10_000 + seed })).passed) passed++
    }
  }
  return passed / (tasks.length * rollouts)
}

/** Steps of one group of 8 per task; what a rollout is worth is up to `reward`. */
async function train(learner: EmbeddedLearner, steps: number, reward: (passed: boolean) => number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const samples = []
    for (const task of tasks) {
      const seeds = Array.from({ length: 8 }, (_, member) => step * 100 + task * 10 + member)
      const played = await Promise.all(seeds.map((seed) => judgeLibrary({ policy: learner.policy, task, seed })))
      const advantages = groupAdvantages(played.map(({ passed }) => reward(passed)))
      samples.push(...played.map(({ trajectory }, i) => sampleOf(trajectory, advantages[i] ?? 0)))
    }
    const scales = aggregationScales(samples, 'sequence-mean')
    const scaled = samples.map((sample, i) => ({ sample, scales: scales[i] as Float64Array }))
    await learner.accumulate(scaled, loss, signal)
    await learner.step(signal)
    await learner.publish(signal)
  }
}

test('learns tasks from rewards alone, and unlearns them when rewards are negated', async () => {
  const [rewarded, negated] = [new EmbeddedLearner(defaultSettings), new EmbeddedLearner(defaultSettings)]
  const before = await success(rewarded, 12)
  await train(rewarded, 22, (passed) => (passed ? 1 : -1))
  await train(negated, 22, (passed) => (passed ? -1 : 1))
  expect(await success(rewarded, 12)).toBeGreaterThan(before + 0.2)
  expect(await success(negated, 12)).toBeLessThan(Math.max(0.05, before / 2))
}, 60_000)

test('gains nothing from random rewards', async () => {
  const learner = new EmbeddedLearner(defaultSettings)
  const random = RandomStream.of(1, 'rewards')
  const before = await success(learner, 12)
  await train(learner, 22, () => (random.chance(0.5) ? 1 : -1))
  expect(await success(learner, 12)).toBeLessThan(before + 0.15)
}, 60_000)
