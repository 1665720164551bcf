import type { RandomStream } from '../determinism/random-stream.ts'
import type { Learner, ScaledSample, TrainingBatch } from '../hooks/roles.ts'
import type { Loss, TrainingSample } from '../vocabulary/training-sample.ts'
import { aggregationScales } from './loss/aggregation-scales.ts'
import { LossTally } from './loss/loss-tally.ts'
import { minibatches } from './minibatches.ts'
import { prepareSamples } from './prepare-samples.ts'

export interface OptimizeOptions {
  /** Optimiser steps that the batch is cut into. */
  readonly optimizerSteps: number
  /** Orders the trajectories. */
  readonly random: RandomStream
}

/** What the learner did with one training step's batch. */
export interface OptimizeReport {
  /** Optimiser steps that changed the weights. */
  readonly applied: number
  /** Had nothing to train: every action masked or without advantage. */
  readonly skipped: number
  /** Why steps were refused, for example a gradient that is not finite. */
  readonly refused: readonly string[]
  /** For the step's metrics. */
  readonly metrics: Readonly<Record<string, number>>
}

/**
 * Runs the optimiser steps of one training step. Importance weights and penalties in the reward are fixed over the whole
 * training step, averaging over each optimiser step, before the learner sees a sample, so a learner may cut further for
 * memory without changing the objective.
 *
 * @throws {RlenvError} what {@link prepareSamples} and the learner throw.
 */
export async function optimizeStep(
  learner: Learner,
  batch: TrainingBatch,
  { optimizerSteps, random }: OptimizeOptions,
  signal: AbortSignal,
): Promise<OptimizeReport> {
  const prepared = await prepareSamples(learner, batch, signal)
  const tally = new LossTally()
  const loss = tally.observe(batch.loss)
  const refused: string[] = []
  const norms: number[] = []
  let skipped = 0
  for (const samples of minibatches(prepared.samples, optimizerSteps, random)) {
    const scaled = scaledSamples(samples, batch.loss)
    if (scaled.length === 0) {
      skipped += 1
      continue
    }
    tally.add(await learner.accumulate(scaled, loss, signal))
    const { applied, gradNorm, reason } = await learner.step(signal)
    if (applied) norms.push(gradNorm)
    else if (reason === null) skipped += 1
    else refused.push(reason)
  }
  const gradNorm = norms.length === 0 ? {} : { grad_norm: norms.reduce((a, b) => a + b, 0) / norms.length }
  return { applied: norms.length, skipped, refused, metrics: { ...prepared.metrics, ...tally.metrics(), ...gradNorm } }
}

/** Samples with their averaging factors, without those that cannot add to the gradient. */
function scaledSamples(samples: readonly TrainingSample[], loss: Loss): ScaledSample[] {
  const length = loss.drGrpoLength === undefined ? {} : { drGrpoLength: loss.drGrpoLength }
  const scales = aggregationScales(samples, loss.aggregation, length)
  return samples.flatMap((sample, index) => {
    const own = scales[index] ?? new Float64Array(0)
    const adds = (scale: number, t: number) =>
      scale !== 0 && !(loss.inertAtZeroAdvantage === true && (sample.advantages[t] === 0 || sample.weights[t] === 0))
    return own.some(adds) ? [{ sample, scales: own }] : []
  })
}
