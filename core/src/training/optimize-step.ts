import type { RandomStream } from '../determinism/random-stream.ts'
import type { Learner, ScaledSample, TrainingBatch } from '../hooks/roles.ts'
import type { Loss, TrainingSample } from '../vocabulary/training-sample.ts'
import { aggregationScales } from './loss/aggregation-scales.ts'
import { minibatches } from './minibatches.ts'

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
 * Runs the optimiser steps of one training step. Averaging is fixed over each optimiser step before the learner sees a
 * sample, so a learner may cut further for memory without changing the objective.
 */
export async function optimizeStep(
  learner: Learner,
  batch: TrainingBatch,
  { optimizerSteps, random }: OptimizeOptions,
  signal: AbortSignal,
): Promise<OptimizeReport> {
  const tally = new LossTally()
  const loss = tally.observe(batch.loss)
  const refused: string[] = []
  const norms: number[] = []
  let skipped = 0
  for (const samples of minibatches(batch.samples, optimizerSteps, random)) {
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
  return { applied: norms.length, skipped, refused, metrics: { ...tally.metrics(), ...gradNorm } }
}

/** Samples with their averaging factors, without those that cannot add to the gradient. */
function scaledSamples(samples: readonly TrainingSample[], loss: Loss): ScaledSample[] {
  const length = loss.drGrpoLength === undefined ? {} : { drGrpoLength: loss.drGrpoLength }
  const scales = aggregationScales(samples, loss.aggregation, length)
  return samples.flatMap((sample, index) => {
    const own = scales[index] ?? new Float64Array(0)
    const idle = loss.inertAtZeroAdvantage === true && sample.advantages.every((advantage) => advantage === 0)
    return idle || own.every((scale) => scale === 0) ? [] : [{ sample, scales: own }]
  })
}

/** Adds up what learners report, and takes the maxima from the loss itself. */
class LossTally {
  #loss = 0
  #reports = 0
  readonly #sums = new Map<string, number>()
  readonly #maxima = new Map<string, number>()

  /** The same loss, with an ear on its maxima; a learner that runs it natively by name never calls it. */
  observe(loss: Loss): Loss {
    const { name, options, aggregation, needsReference } = loss
    return {
      name,
      options,
      aggregation,
      needsReference,
      ...(loss.drGrpoLength === undefined ? {} : { drGrpoLength: loss.drGrpoLength }),
      evaluate: (input) => {
        const output = loss.evaluate(input)
        for (const [name, value] of Object.entries(output.maxima ?? {})) {
          this.#maxima.set(name, Math.max(value, this.#maxima.get(name) ?? value))
        }
        return output
      },
    }
  }

  add({ loss, sums }: { readonly loss: number; readonly sums: Readonly<Record<string, number>> }): void {
    this.#loss += loss
    this.#reports += 1
    for (const [name, value] of Object.entries(sums)) this.#sums.set(name, value + (this.#sums.get(name) ?? 0))
  }

  metrics(): Record<string, number> {
    if (this.#reports === 0) return {}
    const count = this.#sums.get('count') ?? 0
    const means = [...this.#sums].filter(([name]) => name !== 'count' && count > 0)
    return {
      loss: this.#loss / this.#reports,
      'optimizer/actions': count,
      ...Object.fromEntries(means.map(([name, sum]) => [name === 'ratio' ? 'is_ratio/mean' : name, sum / count])),
      ...Object.fromEntries(
        [...this.#maxima].map(([name, value]) => [name === 'ratio' ? 'is_ratio/max' : name, value]),
      ),
    }
  }
}
