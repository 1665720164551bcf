import { RlenvError } from '../errors/rlenv-error.ts'
import type { Algorithm, Learner, TrainingBatch } from '../hooks/roles.ts'
import type { TrainingSample } from '../vocabulary/training-sample.ts'
import { type ImportanceWeights, importanceWeights } from './loss/importance-weights.ts'
import { klInReward } from './loss/kl-in-reward.ts'

export interface PreparedSamples {
  readonly samples: readonly TrainingSample[]
  /** For the step's metrics. */
  readonly metrics: Readonly<Record<string, number>>
}

/**
 * Completes a training step's samples with what only the learner knows: their probability under its weights, for the
 * batch's importance sampling, and under its reference, for a penalty in the reward. Asks before the first optimiser
 * step and once for each, so that all of the step's batches start from the same weights.
 *
 * Metrics: `is_weight/{mean,max,cut_frac}` over trained actions, of replayed ones again as
 * `replay/is_weight_{mean,max,cut_frac}`; `kl_in_reward`.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID when the learner cannot score given actions;
 *   RLENV_PLUGIN_RETURNED_INVALID when its scores are too few or not finite.
 */
export async function prepareSamples(
  learner: Learner,
  batch: TrainingBatch,
  signal: AbortSignal,
): Promise<PreparedSamples> {
  const { importanceSampling, klInReward: penalty } = batch
  const wanted = trainable(batch)
  if (wanted.length === 0 || (importanceSampling === undefined && penalty === undefined)) {
    return { samples: batch.samples, metrics: {} }
  }
  const metrics: Record<string, number> = {}
  let samples: readonly TrainingSample[] = wanted
  if (importanceSampling !== undefined) {
    const old = await scores(learner, samples, 'trained', signal)
    const weights = importanceWeights(samples, old, importanceSampling)
    Object.assign(metrics, weightMetrics(samples, weights))
    samples = samples.map((sample, index) => corrected(sample, old[index], weights[index]))
  }
  if (penalty !== undefined) {
    const reference = await scores(learner, samples, 'reference', signal)
    const { advantages, meanKl } = klInReward(samples, reference, penalty)
    metrics.kl_in_reward = meanKl
    samples = samples.map((sample, index) => ({ ...sample, advantages: advantages[index] ?? sample.advantages }))
  }
  const done = new Map(wanted.map((sample, index) => [sample, samples[index] ?? sample]))
  return { samples: batch.samples.map((sample) => done.get(sample) ?? sample), metrics }
}

/**
 * Whether a learner can do what an algorithm will ask of it, before anything is rolled out.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID
 */
export function assertLearnerScores(algorithm: Algorithm, learner: Learner): void {
  if (algorithm.needsLogProbs === true && learner.logProbs === undefined) throw cannotScore(learner)
}

/** Samples that the step may train; of a trajectory all or none, because its weight may depend on every part of it. */
function trainable({ samples, loss, klInReward: penalty }: TrainingBatch): TrainingSample[] {
  const idleAtZero = loss.inertAtZeroAdvantage === true && (penalty?.coefficient ?? 0) === 0
  const live = samples.filter(({ mask, advantages }) =>
    mask.some((bit, t) => bit === 1 && !(idleAtZero && advantages[t] === 0)),
  )
  const trajectories = new Set(live.map(({ trajectory }) => trajectory.id))
  return samples.filter(({ trajectory, mask }) => trajectories.has(trajectory.id) && mask.includes(1))
}

async function scores(
  learner: Learner,
  samples: readonly TrainingSample[],
  weights: 'trained' | 'reference',
  signal: AbortSignal,
): Promise<readonly Float64Array[]> {
  if (learner.logProbs === undefined) throw cannotScore(learner)
  const scored = await learner.logProbs(samples, weights, signal)
  for (const [index, { trajectory, mask }] of samples.entries()) {
    const own = scored[index]
    if (own?.length !== mask.length) {
      throw badScores(learner, `${own?.length ?? 'no'} values for the ${mask.length} actions of ${trajectory.id}`)
    }
    const odd = own.findIndex((value, t) => mask[t] === 1 && !Number.isFinite(value))
    if (odd !== -1) throw badScores(learner, `${own[odd]} for the trained action ${odd} of ${trajectory.id}`)
  }
  return scored
}

function corrected(
  sample: TrainingSample,
  oldLogProbs: Float64Array | undefined,
  own: ImportanceWeights | undefined,
): TrainingSample {
  if (oldLogProbs === undefined || own === undefined) return sample
  return { ...sample, oldLogProbs, weights: sample.weights.map((weight, t) => weight * (own.weights[t] ?? 1)) }
}

function weightMetrics(
  samples: readonly TrainingSample[],
  weights: readonly ImportanceWeights[],
): Record<string, number> {
  const [all, replayed] = [new WeightTally(), new WeightTally()]
  for (const [index, sample] of samples.entries()) {
    const own = weights[index]
    if (own === undefined) continue
    all.add(sample, own)
    if (sample.replayed === true) replayed.add(sample, own)
  }
  return { ...all.metrics('is_weight/'), ...replayed.metrics('replay/is_weight_') }
}

/** Mean, largest and share of cut weights over trained actions. */
class WeightTally {
  #count = 0
  #sum = 0
  #max = 0
  #cut = 0

  add({ mask }: TrainingSample, { weights, cut }: ImportanceWeights): void {
    for (const [t, weight] of weights.entries()) {
      if (mask[t] === 0) continue
      this.#count += 1
      this.#sum += weight
      this.#max = Math.max(this.#max, weight)
      this.#cut += cut[t] ?? 0
    }
  }

  metrics(prefix: string): Record<string, number> {
    if (this.#count === 0) return {}
    const [mean, cut] = [this.#sum / this.#count, this.#cut / this.#count]
    return { [`${prefix}mean`]: mean, [`${prefix}max`]: this.#max, [`${prefix}cut_frac`]: cut }
  }
}

function cannotScore({ name }: Learner): RlenvError {
  return new RlenvError(
    `the learner ${name} cannot tell the log-probabilities of given actions, which the algorithm needs for importance sampling or for the penalty in the reward`,
    {
      code: 'RLENV_CONFIG_INVALID',
      fix: 'Take importanceSampling and klInReward out of the algorithm, or choose a learner that has logProbs().',
    },
  )
}

function badScores({ name }: Learner, what: string): RlenvError {
  return new RlenvError(`the learner ${name} answered logProbs with ${what}`, {
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    hook: 'learner.logProbs',
    fix: 'Return one finite log-probability per trained action, in nats, in the order of the samples.',
  })
}
