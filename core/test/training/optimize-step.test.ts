import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import type { Learner, ScaledSample } from '../../src/hooks/roles.ts'
import { policyLoss } from '../../src/training/loss/policy-loss.ts'
import { optimizeStep } from '../../src/training/optimize-step.ts'
import type { TrainingSample } from '../../src/vocabulary/training-sample.ts'
import { trainingSample } from './loss/training-sample.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries } from './training-run.ts'

const never = new AbortController().signal
const uniform = Math.log(1 / 3)

/** One decision of one rollout of the first library's first task. */
function decision(index: number, parts: { action?: number; advantage?: number; mask?: number; old?: number } = {}) {
  const { action = 0, advantage = 1, mask = 1, old = uniform } = parts
  const sample = trainingSample({ advantages: [advantage], old: [old], mask: [mask] })
  const span = { role: 'act', policyVersion: 0, temperature: 1, actions: [action], logProbs: [old] }
  const turn = { index: 0, messageIndex: 1, windowStart: 0, span, calls: [], truncated: false }
  const messages = [{ role: 'user' as const, content: libraries[0]!.tasks[0]!.instruction }]
  const trajectory = { ...sample.trajectory, id: `d0/${index}`, messages, turns: [turn] }
  return { ...sample, trajectory, turns: [0], actions: Int32Array.of(action) } satisfies TrainingSample
}

async function optimize(learner: Learner, samples: readonly TrainingSample[], optimizerSteps = 1, loss = policyLoss()) {
  const random = RandomStream.of(1, 'test')
  return optimizeStep(learner, { samples, loss, metrics: {} }, { optimizerSteps, random }, never)
}
const weightsOf = async (learner: TabularLearner) => {
  await learner.publish()
  return learner.policy.weights[libraries[0]!.tasks[0]!.kind]!
}

describe('optimizeStep', () => {
  test('raises what has a positive advantage', async () => {
    const learner = new TabularLearner(libraries)
    const report = await optimize(learner, [decision(0), decision(1, { action: 1, advantage: -1 })])
    expect(report).toMatchObject({ applied: 1, skipped: 0, refused: [] })
    const [solve, refuse] = await weightsOf(learner)
    expect(solve).toBeGreaterThan(refuse!)
  })

  test('skips a step whose actions are all masked, and counts it', async () => {
    const learner = new TabularLearner(libraries)
    const report = await optimize(learner, [decision(0, { mask: 0 }), decision(1, { mask: 0, advantage: -1 })])
    expect(report).toEqual({ applied: 0, skipped: 1, refused: [], metrics: {} })
    expect(await weightsOf(learner)).toEqual([0, 0, 0])
  })

  test('skips a step without any advantage, unless the loss has a penalty of its own', async () => {
    const flat = [decision(0, { advantage: 0 }), decision(1, { advantage: 0 })]
    expect(await optimize(new TabularLearner(libraries), flat)).toMatchObject({ applied: 0, skipped: 1 })
    const seen: ScaledSample[] = []
    const learner = Object.assign(new TabularLearner(libraries), {
      accumulate: async (samples: readonly ScaledSample[]) => {
        seen.push(...samples)
        return { loss: 0, sums: { count: samples.length } }
      },
    })
    await optimize(learner, flat, 1, policyLoss({ kl: { coefficient: 0.1, estimator: 'k3' } }))
    expect(seen).toHaveLength(2)
  })

  test('members without advantage still count in the average', async () => {
    const norms = async (samples: readonly TrainingSample[]) => {
      return (await optimize(new TabularLearner(libraries), samples)).metrics.grad_norm
    }
    const alone = await norms([decision(0)])
    const diluted = await norms([decision(0), decision(1, { advantage: 0 })])
    expect(diluted).toBeCloseTo((alone ?? 0) / 2, 12)
  })

  test('a gradient that is not finite changes no weight and is reported', async () => {
    const learner = new TabularLearner(libraries)
    const report = await optimize(learner, [decision(0, { advantage: Number.NaN })])
    expect(report).toMatchObject({ applied: 0, refused: ['the gradient is not finite'] })
    expect(await weightsOf(learner)).toEqual([0, 0, 0])
  })

  test('reports the means and the largest ratio over all optimiser steps', async () => {
    const samples = [decision(0), decision(1, { old: uniform - Math.log(2) })]
    const { metrics, applied } = await optimize(new TabularLearner(libraries, { rate: 0 }), samples, 2)
    expect(applied).toBe(2)
    // ratios 1 and 2; the second is above 1.28 with a positive advantage, so it is clipped
    expect(metrics).toMatchObject({ 'is_ratio/mean': 1.5, clip_frac: 0.5, 'optimizer/actions': 2 })
    expect(metrics['is_ratio/max']).toBeCloseTo(2, 12)
  })
})
