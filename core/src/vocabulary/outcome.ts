import { z } from 'zod'
import { type Json, jsonSchema } from './json.ts'

/**
 * Why a rollout ended. `terminated` comes from the policy's final answer, `truncated` from our limits, `faulted` from
 * whoever is named in `in`: `policy` broke the protocol, `environment` is the world's failure, `model` the failure of
 * the service that samples the policy.
 */
export type StopReason =
  | { readonly kind: 'terminated'; readonly by: 'answer' }
  | { readonly kind: 'truncated'; readonly limit: 'turns' | 'tokens' | 'context' | 'tool-calls' | 'wall-clock' }
  | {
      readonly kind: 'faulted'
      readonly in: 'policy' | 'environment' | 'model'
      /** snake_case, for example "unknown_tool" or "tool_timeout". */
      readonly code: string
      readonly message: string
    }
  | { readonly kind: 'cancelled'; readonly message: string }

/**
 * What a rollout is worth to training, decided once, at the boundary where a failure arose: whatever the policy could
 * have caused is the policy's. Only `scored` and `policy_fault` enter a group's statistics.
 */
export type Outcome =
  | { readonly kind: 'scored' }
  | { readonly kind: 'policy_fault'; readonly code: string; readonly message: string }
  | { readonly kind: 'environment_fault'; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** The verifier or judge could not say. */
  | { readonly kind: 'unscored'; readonly code: string; readonly message: string }
  | { readonly kind: 'cancelled'; readonly message: string }

/** One named observation behind a verdict. */
export interface Evidence {
  readonly name: string
  readonly passed: boolean
  readonly expected?: Json
  readonly actual?: Json
  readonly note?: string
}

/** A verifier's answer about one rollout. Never a bare number. */
export interface Verdict {
  readonly kind: 'passed' | 'failed' | 'partial' | 'unscored'
  /** Of its own, so that pass@k never means reward > 0. True only when `kind` is "passed". */
  readonly passed: boolean
  /** Share of the goal that was reached, 0 to 1. */
  readonly score: number
  readonly evidence: readonly Evidence[]
  /** Why nothing could be said, for `unscored`. */
  readonly reason?: string
}

export const stopReasonSchema: z.ZodType<StopReason> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('terminated'), by: z.literal('answer') }),
  z.strictObject({
    kind: z.literal('truncated'),
    limit: z.enum(['turns', 'tokens', 'context', 'tool-calls', 'wall-clock']),
  }),
  z.strictObject({
    kind: z.literal('faulted'),
    in: z.enum(['policy', 'environment', 'model']),
    code: z.string(),
    message: z.string(),
  }),
  z.strictObject({ kind: z.literal('cancelled'), message: z.string() }),
])

export const outcomeSchema: z.ZodType<Outcome> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('scored') }),
  z.strictObject({ kind: z.literal('policy_fault'), code: z.string(), message: z.string() }),
  z.strictObject({
    kind: z.literal('environment_fault'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('unscored'), code: z.string(), message: z.string() }),
  z.strictObject({ kind: z.literal('cancelled'), message: z.string() }),
])

export const verdictSchema: z.ZodType<Verdict> = z.strictObject({
  kind: z.enum(['passed', 'failed', 'partial', 'unscored']),
  passed: z.boolean(),
  score: z.number().min(0).max(1),
  evidence: z.array(
    z.strictObject({
      name: z.string(),
      passed: z.boolean(),
      expected: z.exactOptional(jsonSchema),
      actual: z.exactOptional(jsonSchema),
      note: z.exactOptional(z.string()),
    }),
  ),
  reason: z.exactOptional(z.string()),
})

/** The word that histograms and other frameworks use for a stop reason. */
export function stopReasonName(stop: StopReason): string {
  switch (stop.kind) {
    case 'terminated':
      return 'completed'
    case 'truncated':
      return stop.limit === 'wall-clock'
        ? 'timeout'
        : stop.limit === 'context'
          ? 'context_overflow'
          : `max_${stop.limit.replace('-', '_')}`
    case 'faulted':
      return stop.in === 'policy' ? 'parse_error' : stop.in === 'environment' ? 'env_error' : 'model_error'
    case 'cancelled':
      return 'cancelled'
  }
}
