/** One line of the benchmark's report. */
export interface Metric {
  /** `E…` engine, `R…` rollouts, `L…` learner. */
  readonly id: string
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The least that this can cost, measured in the same run; null when there is no such thing. */
  readonly floor: number | null
  /** Value against floor; null without a floor. */
  readonly ratio: number | null
  /** What ratio or value should be, as `what` says; null when it is only reported. */
  readonly target: number | null
  /** True when there is no target. */
  readonly ok: boolean
}
