import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grpo } from '@rlenv/algorithm-grpo'
import { replayGroups } from '@rlenv/groups-replay'
import { uniformSampler } from '@rlenv/sampler-uniform'
import {
  assemblePipeline,
  corePlugins,
  type Learner,
  type Loss,
  type Policy,
  type PolicyRequest,
  RunDirectory,
  reactRollout,
  resolveConfig,
  type ScaledSample,
  systemClock,
  train,
} from 'rlenv'
import { tinyEnvironment, tinyPlugin } from 'rlenv/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The policies that take turns: log-odds of the good arm. Often all of a group fails under one, and passes under the other. */
const logOdds = [-2, 2, -1.5, 1] as const
const rolloutsPerTask = 3
const steps = 60

const oddsAt = (version: number) => logOdds[version % logOdds.length] as number
const probability = (arm: number, odds: number) => 1 / (1 + Math.exp(arm === 1 ? -odds : odds))
/** ∂ log π(arm) / ∂ log-odds. */
const slope = (arm: number, odds: number) => arm - probability(1, odds)

/** What the learner was given of one replayed rollout. */
interface Replayed {
  readonly arm: number
  readonly now: number
  readonly before: number
  readonly weight: number
  readonly advantage: number
  /** Of the minimised loss by the log-odds, averaging taken off. */
  readonly gradient: number
}

/** One decision per rollout: the good arm says what the verifier wants. It is set to the next policy instead of being trained. */
class TwoArmed implements Learner {
  readonly name = 'two-armed'
  readonly replayed: Replayed[] = []
  policyVersion = 0
  readonly policy: Policy

  constructor() {
    const served = () => this.policyVersion
    this.policy = {
      name: 'two-armed',
      get policyVersion() {
        return served()
      },
      sample: (request) => sampled(request, served()),
    }
  }

  async accumulate(samples: readonly ScaledSample[], loss: Loss) {
    for (const { sample, scales } of samples) {
      const arm = Number(sample.actions[0])
      const now = oddsAt(this.policyVersion)
      const logProbs = Float64Array.of(Math.log(probability(arm, now)))
      const { gradient } = loss.evaluate({ sample, logProbs, scales })
      if (sample.replayed !== true) continue
      this.replayed.push({
        arm,
        now,
        before: oddsAt(sample.policyVersion),
        weight: Number(sample.weights[0]),
        advantage: Number(sample.advantages[0]),
        gradient: (Number(gradient[0]) * slope(arm, now)) / Number(scales[0]),
      })
    }
    return { loss: 0, sums: { count: samples.length } }
  }

  async logProbs(samples: Parameters<NonNullable<Learner['logProbs']>>[0]) {
    return samples.map(({ actions }) =>
      Float64Array.from(actions, (arm) => Math.log(probability(arm, oddsAt(this.policyVersion)))),
    )
  }

  async step() {
    return { gradNorm: 1, applied: true, reason: null }
  }

  async publish() {
    this.policyVersion += 1
    return this.policyVersion
  }

  async save() {}
  async load() {}
  async close() {}
}

function sampled({ random, role, sampling }: PolicyRequest, version: number) {
  const good = probability(1, oddsAt(version))
  const arm = random.real() < good ? 1 : 0
  const logProbs = [Math.log(arm === 1 ? good : 1 - good)]
  return {
    message: { role: 'assistant' as const, content: arm === 1 ? 'good' : 'bad' },
    span: { role, policyVersion: version, temperature: sampling.temperature, actions: [arm], logProbs },
    finish: 'stop' as const,
    usage: { promptTokens: 0, completionTokens: 1 },
  }
}

const root = mkdtempSync(join(tmpdir(), 'rlenv-two-armed-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let replayed: readonly Replayed[] = []
beforeAll(async () => {
  const learner = new TwoArmed()
  const judged = tinyPlugin({
    name: 'two-armed',
    hooks: {
      verifier: {
        prepare: () => undefined,
        judge: ({ trajectory }) => {
          const passed = trajectory.answer === 'good'
          return { kind: passed ? 'passed' : 'failed', passed, score: passed ? 1 : 0, evidence: [] }
        },
      },
      rewardShaper: (_reward, { judged: { verdict } }) => (verdict?.passed === true ? 1 : -1),
      learner: () => learner,
    },
  })
  const importanceSampling = { cap: 1e9 }
  const plugins = [judged, uniformSampler(), replayGroups(), grpo({ importanceSampling, epsilon: 0 }), reactRollout()]
  const sizes = { steps, tasksPerStep: 2, rolloutsPerTask, maxRefills: 0, stopAfterDeadSteps: 50 }
  const loaded = await resolveConfig(
    { plugins, training: sizes, evaluation: { heldOutShare: 0 }, seed: 3 },
    { command: 'train', core: corePlugins(), cwd: root },
  )
  const { config } = loaded
  const pipeline = await assemblePipeline(loaded.layers, { command: 'train' })
  const clock = systemClock
  const records = await RunDirectory.create({ root, kind: 'train', name: 'arms', model: 'two-armed', config, clock })
  const environments = [tinyEnvironment({ id: 'library' })]
  const run = { pipeline, config, environments, records, events: () => undefined, clock, resume: false }
  await train(run, new AbortController().signal)
  await records.close()
  replayed = learner.replayed
}, 60_000)

describe('the gradient of a replayed rollout, from the store to the learner', () => {
  test('is there for both arms, under other weights than sampled it', () => {
    expect(replayed.filter(({ arm, now, before }) => arm === 1 && now !== before).length).toBeGreaterThan(3)
    expect(replayed.filter(({ arm, now, before }) => arm === 0 && now !== before).length).toBeGreaterThan(3)
  })

  test('moves the policy towards the good arm, whichever arm was replayed', () => {
    for (const { arm, advantage, gradient } of replayed) {
      expect(Math.sign(advantage)).toBe(arm === 1 ? 1 : -1)
      expect(gradient).toBeLessThan(0)
    }
  })

  test('is weighted by how much likelier its arm is now than when it was sampled', () => {
    for (const { arm, now, before, weight } of replayed) {
      expect(weight).toBeCloseTo(probability(arm, now) / probability(arm, before), 9)
    }
  })

  test('is, over the arms as they were sampled then, the policy gradient of now', () => {
    const versions = new Set(replayed.map(({ now, before }) => `${now} ${before}`))
    const whole = [...versions].flatMap((version) => {
      const alike = replayed.filter(({ now, before }) => `${now} ${before}` === version)
      const perArm = [0, 1].map((arm) => alike.find((one) => one.arm === arm))
      return perArm.every((one) => one !== undefined) ? [perArm as Replayed[]] : []
    })
    expect(whole.length).toBeGreaterThan(0)
    // A single other member among G has the advantage ±√(G − 1).
    const size = Math.sqrt(rolloutsPerTask - 1)
    for (const arms of whole) {
      const expectedGradient = arms.reduce((sum, { arm, now }) => {
        return sum - probability(arm, now) * (arm === 1 ? size : -size) * slope(arm, now)
      }, 0)
      const estimate = arms.reduce((sum, { arm, before, gradient }) => sum + probability(arm, before) * gradient, 0)
      expect(estimate).toBeCloseTo(expectedGradient, 9)
    }
  })
})
