import type { EvaluationReport } from '../evaluation/evaluation-report.ts'

/** Held-out success after so many generated rollouts; null where nobody can say. */
export interface ResultPoint {
  readonly step: number
  readonly rollouts: number
  readonly sampled: number | null
  readonly greedy: number | null
}

/** Means over the training steps of one run. */
export interface RunMeasures {
  /** Share of generated groups whose rewards are all equal. */
  readonly flatGenerated: number
  /** Share of samples that the learner got and that carry no advantage. */
  readonly zeroAdvantage: number
  /** Rollouts generated for one that carries an advantage; null when none did. */
  readonly generatedPerUsed: number | null
  /** Mean reward of all generated rollouts that count. */
  readonly reward: number | null
  /** Groups per step that got a stored rollout, as a share; null without a replay store. */
  readonly swapRate: number | null
  /** Seconds per step in the last third of the run over those in the first; null with fewer than three steps. */
  readonly stepTimeGrowth: number | null
}

/** What one run of one arm came to. */
export interface ExperimentResult {
  readonly format: 1
  readonly arm: string
  readonly replicate: number
  readonly seed: number
  readonly steps: number
  readonly rollouts: number
  readonly optimizerSteps: number
  readonly heldOut: EvaluationReport
  /** On training tasks that were drawn uniformly, whatever the sampler preferred; null when there were to be none. */
  readonly training: EvaluationReport | null
  readonly curve: readonly ResultPoint[]
  readonly measures: RunMeasures
}
