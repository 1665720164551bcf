import { defaultVerifierTimeoutMs } from '../reward/judge-rollout.ts'

/** Bounds of what one session may do. */
export interface SessionLimits {
  /** Milliseconds that a caller waits for a call; the wait ends then, not the call. */
  readonly toolTimeoutMs: number
  /** Milliseconds that reading the state may take when a verdict is asked for, and again the verifier. */
  readonly verifierTimeoutMs: number
  /** Longest text of a result, in characters; what is cut is announced. */
  readonly maxResultChars: number
  /** Most calls between two resets, because each is kept for the verifier. */
  readonly maxCalls: number
  /** Most characters of all these calls together, with their arguments, results and changes. */
  readonly maxKeptChars: number
}

export const defaultLimits: SessionLimits = {
  toolTimeoutMs: 30_000,
  verifierTimeoutMs: defaultVerifierTimeoutMs,
  maxResultChars: 100_000,
  maxCalls: 10_000,
  maxKeptChars: 32 * 1024 ** 2,
}
