/**
 * What the gate says of an environment, a tool or a task. `invalid` blames what was checked, `error` means that the
 * check itself could not be carried out, `timeout` that it did not end.
 */
export type GateStatus = 'valid' | 'invalid' | 'error' | 'timeout'

/** Everything the gate can object to, and the status that follows from it. */
export const gateFindings = {
  database_invalid: 'invalid',
  tool_reserved_name: 'invalid',
  tool_refused: 'invalid',
  tool_faulted: 'invalid',
  tool_never_succeeded: 'invalid',
  tool_result_misfit: 'invalid',
  tool_wrote: 'invalid',
  tool_silent: 'valid',
  task_foreign: 'invalid',
  task_duplicate: 'invalid',
  gold_failed: 'invalid',
  gold_without_effect: 'invalid',
  verifier_missing: 'invalid',
  verifier_unscored: 'error',
  verifier_failed: 'error',
  verifier_timeout: 'timeout',
  verifier_unsteady: 'invalid',
  holds_untouched: 'invalid',
  gold_rejected: 'invalid',
  mutant_survived: 'invalid',
  irrelevant_change_passes: 'invalid',
  random_agent_passes: 'invalid',
  words_alone_pass: 'invalid',
  too_few_tasks: 'invalid',
} as const satisfies Record<string, GateStatus>

export type GateFindingCode = keyof typeof gateFindings

/** One objection. */
export interface GateFinding {
  readonly code: GateFindingCode
  /** Lower case, with the values. */
  readonly message: string
}

export interface ToolReport {
  readonly name: string
  readonly status: GateStatus
  readonly findings: readonly GateFinding[]
  /** Calls that the gate made of it, and how many of them succeeded. */
  readonly calls: number
  readonly succeeded: number
}

export interface TaskReport {
  readonly id: string
  readonly status: GateStatus
  readonly findings: readonly GateFinding[]
  /** Altered final states and answers that the verifier was shown, and how many of them it refused. */
  readonly mutants: number
  readonly killed: number
  /** Whether the verifier refuses the gold state with an unrelated row altered besides; null where there is no such row. */
  readonly noticesSideEffects: boolean | null
}

/** What the gate found. Holds no wall-clock time, so that equal environments give equal reports. */
export interface GateReport {
  readonly environmentId: string
  /** The gravest among the environment itself, its tools and its tasks. */
  readonly status: GateStatus
  /** About the environment as a whole. */
  readonly findings: readonly GateFinding[]
  readonly tools: readonly ToolReport[]
  readonly tasks: readonly TaskReport[]
  readonly mutants: number
  readonly killed: number
  /** killed / mutants; null when no verifier could be shown a mutant. */
  readonly verifierKillRate: number | null
}

const severity: readonly GateStatus[] = ['valid', 'invalid', 'error', 'timeout']

export function gravest(statuses: readonly GateStatus[]): GateStatus {
  return severity[Math.max(0, ...statuses.map((status) => severity.indexOf(status)))] as GateStatus
}

/** The gravest status among findings; `valid` without any. */
export function statusOf(findings: readonly GateFinding[]): GateStatus {
  return gravest(findings.map(({ code }) => gateFindings[code]))
}

/** A finding, for short. */
export function finding(code: GateFindingCode, message: string): GateFinding {
  return { code, message }
}
