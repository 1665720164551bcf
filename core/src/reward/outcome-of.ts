import { isRetryableFault } from '../rollout/fault-codes.ts'
import type { Outcome, StopReason, Verdict } from '../vocabulary/outcome.ts'

/** Why there is no verdict to score by: the verifier threw, was too late, or said nothing that can be read. */
export interface VerdictFailure {
  readonly kind: 'failure'
  readonly code: 'verifier_failed' | 'verifier_timeout' | 'verdict_invalid' | 'no_verifier' | 'state_unreadable'
  readonly message: string
}

/** Whether a rollout that ended so is shown to its verifier at all. */
export function isVerifiable(stop: StopReason): boolean {
  return stop.kind === 'terminated' || stop.kind === 'truncated'
}

/**
 * What a rollout is worth, decided here and nowhere else. Faults and cancellation follow from how it ended; everything
 * else is scored by its verdict, and unscored when there is none. A verdict never turns a fault into a score, nor a
 * missing verdict into a number.
 *
 * @param verdict - ignored unless the stop reason `isVerifiable`.
 */
export function outcomeOf(stop: StopReason, verdict: Verdict | VerdictFailure | null): Outcome {
  switch (stop.kind) {
    case 'cancelled':
      return { kind: 'cancelled', message: stop.message }
    case 'faulted': {
      const { code, message } = stop
      if (stop.in === 'policy') return { kind: 'policy_fault', code, message }
      return { kind: 'environment_fault', code, message, retryable: isRetryableFault(code) }
    }
    case 'terminated':
    case 'truncated':
      return verdictOutcome(verdict)
  }
}

function verdictOutcome(verdict: Verdict | VerdictFailure | null): Outcome {
  if (verdict === null) return { kind: 'unscored', code: 'no_verifier', message: 'no verifier was asked' }
  if (verdict.kind === 'failure') return { kind: 'unscored', code: verdict.code, message: verdict.message }
  if (verdict.kind !== 'unscored') return { kind: 'scored' }
  return { kind: 'unscored', code: 'verifier_undecided', message: verdict.reason ?? 'the verifier could not say' }
}
