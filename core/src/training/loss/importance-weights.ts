import type { ImportanceSampling, TrainingSample } from '../../vocabulary/training-sample.ts'

/** What of a sample decides its weights. */
export type WeighedSample = Pick<TrainingSample, 'trajectory' | 'turns' | 'mask' | 'behaviorLogProbs'>

/** Weights of one sample's actions; 1 and uncut where masked. */
export interface ImportanceWeights {
  /** Shape [T], in [0, cap]. */
  readonly weights: Float64Array
  /** Shape [T]; 1 where the cap or the floor changed the weight. */
  readonly cut: Uint8Array
}

/**
 * Importance weights w = f(exp(old − behaviour)) of a training step's samples. Masked actions are never looked at. Made
 * for the whole step at once, so that no later cut of it into batches changes a weight.
 *
 * @param old - per sample, shape [T]: log-probabilities under the learner's weights before the step, in nats.
 * @see truncated importance sampling between engines: Yao et al., "Your Efficient RL Framework Secretly Brings You
 *   Off-Policy RL Training" (2025); masks per action: IcePop, in "Every Step Evolves", arXiv:2510.18855.
 */
export function importanceWeights(
  samples: readonly WeighedSample[],
  old: readonly Float64Array[],
  options: ImportanceSampling,
): ImportanceWeights[] {
  const sequences = options.level === 'token' ? null : sequenceLogRatios(samples, old, options)
  return samples.map(({ mask, behaviorLogProbs }, index) => {
    const shared = sequences?.[index] ?? null
    const weights = new Float64Array(mask.length).fill(1)
    const cut = new Uint8Array(mask.length)
    for (let t = 0; t < mask.length; t++) {
      if (mask[t] === 0) continue
      const ratio = Math.exp(shared ?? Number(old[index]?.[t]) - Number(behaviorLogProbs[t]))
      const weight = bounded(ratio, options)
      weights[t] = weight
      cut[t] = weight === ratio ? 0 : 1
    }
    return { weights, cut }
  })
}

function bounded(ratio: number, { mode, cap, floor }: ImportanceSampling): number {
  if (mode === 'truncate') return Math.min(ratio, cap)
  return ratio > cap || ratio < floor ? 0 : ratio
}

/** Per sample the log-ratio of its sequence: summed over trained actions, or their mean. */
function sequenceLogRatios(
  samples: readonly WeighedSample[],
  old: readonly Float64Array[],
  { level, scope }: ImportanceSampling,
): number[] {
  const own = samples.map(({ mask, behaviorLogProbs }, index) => {
    let [sum, count] = [0, 0]
    for (let t = 0; t < mask.length; t++) {
      if (mask[t] === 0) continue
      sum += Number(old[index]?.[t]) - Number(behaviorLogProbs[t])
      count += 1
    }
    return { sum, count }
  })
  const parts = scope === 'sample' ? own.map((part) => [part]) : partsOfTrajectories(samples, own)
  return parts.map((sequence) => {
    const sum = sequence.reduce((total, part) => total + part.sum, 0)
    const count = sequence.reduce((total, part) => total + part.count, 0)
    return level === 'geometric' && count > 0 ? sum / count : sum
  })
}

/** Per sample the parts of its trajectory. One that is in the batch twice, as replayed ones may be, counts its turns once. */
function partsOfTrajectories<Part>(samples: readonly WeighedSample[], own: readonly Part[]): Part[][] {
  const trajectories = new Map<string, Map<string, Part>>()
  for (const [index, { trajectory, turns }] of samples.entries()) {
    const parts = trajectories.get(trajectory.id) ?? new Map<string, Part>()
    trajectories.set(trajectory.id, parts)
    const part = own[index]
    if (part !== undefined) parts.set(turns.join(), part)
  }
  return samples.map(({ trajectory }) => [...(trajectories.get(trajectory.id)?.values() ?? [])])
}
