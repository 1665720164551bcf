import type { Trajectory } from './trajectory.ts'

/** How per-action terms are averaged into one loss. See `docs/papers/arena.md` for the three formulas. */
export type Aggregation = 'token-mean' | 'sequence-mean' | 'dr-grpo'

/**
 * Per-action estimators of KL(policy ‖ reference) from actions sampled by the policy.
 * With d = policy − reference, in nats: k1 = d, k2 = d² / 2, k3 = exp(−d) − 1 + d.
 */
export type KlEstimator = 'k1' | 'k2' | 'k3'

/** How far two policies are apart, and what that costs. */
export interface KlPenalty {
  readonly coefficient: number
  readonly estimator: KlEstimator
}

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
  /**
   * Nats, by the learner's own arithmetic under its weights before the training step. Where present, ratios start from
   * them, and what lies between them and `behaviorLogProbs` is in `weights`; otherwise ratios start from
   * `behaviorLogProbs`.
   */
  readonly oldLogProbs?: Float64Array
  readonly advantages: Float64Array
  /** Extra factor per action, without a gradient of its own (importance weights between engines and so on); 1 when it has none. */
  readonly weights: Float64Array
  /** True when a replay store put the trajectory into its group. */
  readonly replayed?: boolean
}

/** What a loss sees of one sample. All arrays have shape [T]. */
export interface LossInput {
  readonly sample: TrainingSample
  /** Log-probabilities under the weights being trained, sampling temperature included, in nats. */
  readonly logProbs: Float64Array
  /** Under the frozen reference weights; present exactly when the loss asks for a reference. */
  readonly referenceLogProbs?: Float64Array
  /**
   * Where factors that carry no gradient are taken; `logProbs` when absent, as in training. With them held still, the
   * gradient is the slope of the loss also where it has such factors.
   */
  readonly heldLogProbs?: Float64Array
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
  /** True when an action with advantage or weight 0 adds nothing to loss and gradient, so that such samples need no learner. */
  readonly inertAtZeroAdvantage?: boolean
  /** Constant sequence length, in actions, that `dr-grpo` divides by; required for it. */
  readonly drGrpoLength?: number
  evaluate(input: LossInput): LossOutput
}

/**
 * Correction for actions that other weights, or another engine with the same weights, sampled: their loss is multiplied
 * by how much likelier the learner's weights before the step make them, w = f(exp(old − behaviour)), a constant to the
 * gradient.
 */
export interface ImportanceSampling {
  /** One weight per action, or one per sequence: the product of its actions' ratios, or their geometric mean. */
  readonly level: 'token' | 'sequence' | 'geometric'
  /** A weight above `cap` becomes the cap (truncated importance sampling) or 0 (masked). */
  readonly mode: 'truncate' | 'mask'
  readonly cap: number
  /** In mode "mask", weights below it become 0 too. */
  readonly floor: number
  /** What a sequence is: all trained actions of a trajectory, however it is cut into samples, or those of one sample. */
  readonly scope: 'trajectory' | 'sample'
}
