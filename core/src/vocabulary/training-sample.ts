import type { Trajectory } from './trajectory.ts'

/** How per-action terms are averaged into one loss. See `docs/papers/arena.md` for the three formulas. */
export type Aggregation = 'token-mean' | 'sequence-mean' | 'dr-grpo'

/** Per-turn choice of actions from one trajectory that a learner trains on. All arrays have shape [T]. */
export interface TrainingSample {
  /** Where the actions come from; a learner rebuilds its inputs from this, never from text. */
  readonly trajectory: Trajectory
  /** Turns whose spans are concatenated, in order, into the arrays below. */
  readonly turns: readonly number[]
  readonly role: string
  /** Version of the weights that sampled it (the oldest of the turns). */
  readonly policyVersion: number
  readonly actions: Int32Array
  /** 1 = trained, 0 = context only. */
  readonly mask: Uint8Array
  /** Nats, under the sampling distribution. */
  readonly behaviorLogProbs: Float64Array
  readonly advantages: Float64Array
  /** Extra factor per action from the algorithm (importance weight of replayed data and so on); 1 when it has none. */
  readonly weights: Float64Array
}

/** What a loss sees of one sample. All arrays have shape [T]. */
export interface LossInput {
  readonly sample: TrainingSample
  /** Log-probabilities under the weights being trained, sampling temperature included, in nats. */
  readonly logProbs: Float64Array
  /** Under the frozen reference weights; present exactly when the loss asks for a reference. */
  readonly referenceLogProbs?: Float64Array
  /** Factor per action that folds masking and averaging over one optimiser step: the step's loss is Σ scale · term. */
  readonly scales: Float64Array
}

export interface LossOutput {
  /** This sample's share of the optimiser step's loss. */
  readonly loss: number
  /** Shape [T]: ∂loss/∂logProbs. What a learner back-propagates. */
  readonly gradient: Float64Array
  /** Sums over the trained actions, by name; `count` is how many there were. */
  readonly sums: Readonly<Record<string, number>>
  /** Largest value over the trained actions, by name. */
  readonly maxima?: Readonly<Record<string, number>>
}

/**
 * A loss over actions, independent of what an action is. Servers that know it by name may run it natively; every other
 * learner evaluates it here and back-propagates `gradient`.
 */
export interface Loss {
  readonly name: string
  /** Serialisable settings, in the field's words. */
  readonly options: Readonly<Record<string, unknown>>
  readonly aggregation: Aggregation
  readonly needsReference: boolean
  /** True when an action with advantage 0 adds nothing to loss and gradient, so that such samples need no learner. */
  readonly inertAtZeroAdvantage?: boolean
  /** Constant sequence length, in actions, that `dr-grpo` divides by; required for it. */
  readonly drGrpoLength?: number
  evaluate(input: LossInput): LossOutput
}
