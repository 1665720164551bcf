import { aggregationScales, policyLoss, RandomStream, type TrainingSample, type Trajectory } from 'rlenv'
import { trajectoryOf } from 'rlenv/testing'
import type { Metric } from '../metric.ts'

const trajectory: Trajectory = trajectoryOf()

function sampleOf(length: number, random: RandomStream): TrainingSample {
  const logProbs = Float64Array.from({ length }, () => -3 * random.real())
  return {
    trajectory,
    turns: [0],
    role: 'act',
    policyVersion: 0,
    actions: new Int32Array(length),
    mask: Uint8Array.from({ length }, () => (random.chance(0.8) ? 1 : 0)),
    behaviorLogProbs: logProbs,
    advantages: new Float64Array(length).fill(random.real() - 0.5),
    weights: new Float64Array(length).fill(1),
  }
}

/** Nanoseconds per action of the least that a clipped loss must do: an exponential, a clip, a sum and a gradient. */
function floorNs(samples: readonly TrainingSample[], current: readonly Float64Array[], rounds: number): number {
  let loss = 0
  let actions = 0
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    for (const [index, { mask, behaviorLogProbs, advantages }] of samples.entries()) {
      const logProbs = current[index] as Float64Array
      const gradient = new Float64Array(mask.length)
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue
        const ratio = Math.exp((logProbs[t] as number) - (behaviorLogProbs[t] as number))
        const advantage = advantages[t] as number
        const clipped = Math.min(Math.max(ratio, 0.8), 1.28)
        const isClipped = clipped * advantage < ratio * advantage
        loss -= Math.min(ratio * advantage, clipped * advantage)
        gradient[t] = isClipped ? 0 : -ratio * advantage
      }
      actions += mask.length
    }
  }
  if (!Number.isFinite(loss)) throw new Error('the floor of the loss is not finite')
  return ((performance.now() - started) * 1e6) / actions
}

function lossNs(samples: readonly TrainingSample[], current: readonly Float64Array[], rounds: number): number {
  const loss = policyLoss({ aggregation: 'token-mean' })
  const scales = aggregationScales(samples, loss.aggregation)
  let actions = 0
  let total = 0
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    for (const [index, sample] of samples.entries()) {
      const input = { sample, logProbs: current[index] as Float64Array, scales: scales[index] as Float64Array }
      total += loss.evaluate(input).loss
      actions += sample.mask.length
    }
  }
  if (!Number.isFinite(total)) throw new Error('the loss is not finite')
  return ((performance.now() - started) * 1e6) / actions
}

/** The clipped loss with its metrics, per action, against a bare loop over the same arrays. */
export function lossMetrics(): readonly Metric[] {
  const random = RandomStream.of(1, 'bench', 'loss')
  const samples = Array.from({ length: 64 }, () => sampleOf(2048, random))
  const current = samples.map(({ behaviorLogProbs }) =>
    behaviorLogProbs.map((old) => old + 0.2 * (random.real() - 0.5)),
  )
  floorNs(samples, current, 3)
  lossNs(samples, current, 3)
  const floor = Math.min(...[1, 2, 3].map(() => floorNs(samples, current, 10)))
  const value = Math.min(...[1, 2, 3].map(() => lossNs(samples, current, 10)))
  const target = 6
  return [
    {
      id: 'L20',
      what: 'clipped loss with ratio, clip and divergence sums, per action; target is a ratio to a bare loop',
      value,
      unit: 'ns',
      floor,
      ratio: value / floor,
      target,
      ok: value / floor <= target,
    },
  ]
}
