/** A number with its interval; null where it cannot be estimated. */
export interface Estimate {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
}

/** One line of a breakdown. */
export interface EvaluationRow {
  /** A task kind, or an environment's id. */
  readonly name: string
  /** Tasks with at least one rollout that counts. */
  readonly tasks: number
  /** Rollouts that count. */
  readonly counted: number
  /** Mean over its tasks of passed / counted; null when no rollout counts. */
  readonly pass1: number | null
  readonly meanReward: number | null
  /** Rollouts that ended in an environment fault or stayed unscored. */
  readonly failed: number
}

export interface PassEstimates {
  readonly k: number
  /** Tasks with at least k rollouts that count; the others cannot tell. */
  readonly tasks: number
  /** At least one of k rollouts passes. */
  readonly passAtK: number | null
  /** All of k rollouts pass. */
  readonly passHatK: number | null
}

/** One way of sampling over all evaluated tasks. */
export interface EvaluationSummary {
  /** 0 = greedy. */
  readonly temperature: number
  readonly rolloutsPerTask: number
  readonly tasks: number
  /** All rollouts that ended, whatever came of them. */
  readonly rollouts: number
  /** Rollouts that count: scored or the policy's own fault. */
  readonly counted: number
  /** Interval by a bootstrap clustered by environment. */
  readonly pass1: Estimate
  readonly pass: readonly PassEstimates[]
  readonly meanReward: number | null
  /** Environment faults over all rollouts; they are not in the denominator of any success rate. */
  readonly errorRate: number
  /** Rollouts without a verdict over all rollouts. */
  readonly unscoredRate: number
  /** By outcome kind. */
  readonly outcomes: Readonly<Record<string, number>>
  /** By stop reason. */
  readonly stopReasons: Readonly<Record<string, number>>
  /** By kind and code of whatever is not scored, for example "environment_fault/tool_timeout". */
  readonly errors: Readonly<Record<string, number>>
  readonly byKind: readonly EvaluationRow[]
  readonly byEnvironment: readonly EvaluationRow[]
}

/** What an evaluation found. Plain JSON; `passed` is the verdict's own word, never a positive reward. */
export interface EvaluationReport {
  readonly format: 1
  readonly policy: string
  readonly policyVersion: number
  /** Training steps behind the policy; null outside training. */
  readonly step: number | null
  readonly seed: number
  readonly environments: number
  readonly tasks: number
  /** Coverage of the intervals, 0 to 1. */
  readonly confidence: number
  readonly sampled: EvaluationSummary
  /** One rollout per task with temperature 0; null when it was not asked for. */
  readonly greedy: EvaluationSummary | null
}

/** Share of rollouts, over all ways of sampling, that ended in an environment fault or stayed unscored. */
export function failureShare(report: EvaluationReport): number {
  const summaries = [report.sampled, ...(report.greedy ? [report.greedy] : [])]
  const rollouts = summaries.reduce((total, summary) => total + summary.rollouts, 0)
  const failed = summaries.reduce(
    (total, { rollouts: all, errorRate, unscoredRate }) => total + all * (errorRate + unscoredRate),
    0,
  )
  return rollouts === 0 ? 0 : failed / rollouts
}
