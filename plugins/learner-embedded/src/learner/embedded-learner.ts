import type { AccumulateReport, Learner, Loss, Policy, ScaledSample, StepReport, TrainingSample } from 'rlenv'
import { EmbeddedPolicy } from '../policy/embedded-policy.ts'
import { scoringTemperature } from '../policy/sampling-chooser.ts'
import { Adam } from '../weights/adam.ts'
import { Model } from '../weights/model.ts'
import type { PackedSpan } from '../weights/packed-span.ts'
import { Softmax } from '../weights/softmax.ts'
import { SpanCache } from '../weights/span-cache.ts'
import { loadCheckpoint, saveCheckpoint } from './checkpoint.ts'
import type { LearnerSettings } from './learner-settings.ts'
import { SpanRebuild } from './span-rebuild.ts'

/** Trains the embedded policy in process. Same samples, same bits. */
export class EmbeddedLearner implements Learner {
  readonly name = 'embedded'
  readonly policy: Policy
  readonly #settings: LearnerSettings
  readonly #model: Model
  readonly #adam: Adam
  readonly #cache: SpanCache
  readonly #rebuild: SpanRebuild
  readonly #softmax = new Softmax()

  constructor(settings: LearnerSettings) {
    this.#settings = settings
    this.#model = new Model(settings.weights, settings.scale)
    this.#adam = new Adam(settings.weights, this.#model.space.lexicalStart, settings)
    this.#cache = new SpanCache(settings.cacheBytes)
    this.#rebuild = new SpanRebuild(this.#model.space)
    this.policy = new EmbeddedPolicy(this.#model, this.#cache)
  }

  get policyVersion(): number {
    return this.#model.policyVersion
  }

  async accumulate(samples: readonly ScaledSample[], loss: Loss, signal: AbortSignal): Promise<AccumulateReport> {
    const sums: Record<string, number> = {}
    let total = 0
    for (const { sample, scales } of samples) {
      signal.throwIfAborted()
      const spans = this.#featuresOf(sample)
      const logProbs = this.#logProbs(spans, sample, this.#model.weights)
      const reference = loss.needsReference
        ? { referenceLogProbs: this.#logProbs(spans, sample, this.#model.reference) }
        : {}
      const output = loss.evaluate({ sample, logProbs, scales, ...reference })
      total += output.loss
      for (const [name, value] of Object.entries(output.sums)) sums[name] = (sums[name] ?? 0) + value
      this.#backPropagate(spans, sample, output.gradient)
    }
    return { loss: total, sums }
  }

  async logProbs(
    samples: readonly TrainingSample[],
    weights: 'trained' | 'reference',
    signal: AbortSignal,
  ): Promise<readonly Float64Array[]> {
    const scoring = weights === 'reference' ? this.#model.reference : this.#model.weights
    return samples.map((sample) => {
      signal.throwIfAborted()
      return this.#logProbs(this.#featuresOf(sample), sample, scoring)
    })
  }

  async step(_signal: AbortSignal): Promise<StepReport> {
    const { norm, touched } = this.#adam.norm()
    const reason = refusal(norm, touched)
    if (reason === null) {
      const { maxGradNorm } = this.#settings
      this.#adam.apply(this.#model.weights, maxGradNorm !== null && norm > maxGradNorm ? maxGradNorm / norm : 1)
    }
    this.#adam.forget()
    return { gradNorm: norm, applied: reason === null, reason }
  }

  async publish(_signal: AbortSignal): Promise<number> {
    return this.#model.publish()
  }

  save(directory: string): Promise<void> {
    return saveCheckpoint(directory, this.#settings, this.#model, this.#adam)
  }

  async load(directory: string): Promise<void> {
    await loadCheckpoint(directory, this.#settings, this.#model, this.#adam)
    this.#cache.clear()
  }

  async close(): Promise<void> {
    this.#cache.clear()
  }

  /** Features per turn: kept from sampling where they still are, rebuilt from the transcript otherwise. */
  #featuresOf({ trajectory, turns }: TrainingSample): PackedSpan[] {
    const kept = turns.map((turn) => trajectory.turns[turn]?.span).map((span) => span && this.#cache.get(span))
    if (kept.every((span) => span !== undefined)) return kept
    return this.#rebuild.rebuild(trajectory, turns)
  }

  /** Shape [T], under the span's temperature, in nats. */
  #logProbs(spans: readonly PackedSpan[], sample: TrainingSample, weights: Float64Array): Float64Array {
    const logProbs = new Float64Array(sample.actions.length)
    forEachDecision(spans, sample, (span, decision, t, temperature) => {
      this.#score(span, decision, weights, temperature)
      logProbs[t] = this.#softmax.logProbability(sample.actions[t] as number)
    })
    return logProbs
  }

  /** Adds gradient[t] · ∂logProb[t]/∂w = gradient[t] / temperature · (φ(chosen) − E φ). */
  #backPropagate(spans: readonly PackedSpan[], sample: TrainingSample, gradient: Float64Array): void {
    forEachDecision(spans, sample, (span, decision, t, temperature) => {
      const slope = (gradient[t] as number) / temperature
      if (slope === 0) return
      this.#score(span, decision, this.#model.weights, temperature)
      const from = span.firsts[decision] as number
      const chosen = from + (sample.actions[t] as number)
      const to = span.firsts[decision + 1] as number
      for (let candidate = from; candidate < to; candidate++) {
        const probability = this.#softmax.probabilities[candidate - from] as number
        const amount = slope * ((candidate === chosen ? 1 : 0) - probability)
        this.#adam.add(span.features, span.starts[candidate] as number, span.starts[candidate + 1] as number, amount)
      }
    })
  }

  #score(span: PackedSpan, decision: number, weights: Float64Array, temperature: number): void {
    const from = span.firsts[decision] as number
    const count = (span.firsts[decision + 1] as number) - from
    this.#softmax.score(weights, span.features, span.starts, from, count, temperature)
  }
}

function refusal(norm: number, touched: number): string | null {
  if (touched === 0) return 'no gradient was accumulated'
  return Number.isFinite(norm) ? null : `the gradient is not finite (its norm is ${norm})`
}

/** Visits the decisions of a sample's turns; `t` counts over all of them. */
function forEachDecision(
  spans: readonly PackedSpan[],
  { trajectory, turns }: TrainingSample,
  visit: (span: PackedSpan, decision: number, t: number, temperature: number) => void,
): void {
  let t = 0
  for (const [i, span] of spans.entries()) {
    const temperature = scoringTemperature(trajectory.turns[turns[i] ?? -1]?.span.temperature ?? 1)
    const decisions = span.firsts.length - 1
    for (let decision = 0; decision < decisions; decision++) visit(span, decision, t++, temperature)
  }
}
