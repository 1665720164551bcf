import type { Clock } from '../determinism/clock.ts'
import { isRlenvError, messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { HookContext, JudgeInput } from '../hooks/contexts.ts'
import type { CapturedState, StateReader, WorldInstance } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { attempt, isPromise, type Settled } from '../rollout/deadline.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import { FinalState, outgrownVerdict } from './final-state.ts'
import type { VerdictFailure } from './outcome-of.ts'

export interface VerifierQuestion {
  readonly input: Omit<JudgeInput, 'initial' | 'final' | 'diff'>
  readonly world: WorldInstance
  readonly pipeline: Pick<Pipeline, 'judge'>
  readonly context: HookContext
  readonly clock: Clock
  /** Milliseconds for capturing the state, and again for the verdict. */
  readonly timeoutMs: number
}

/** What a verifier said, or why it said nothing, with the error behind it. */
export interface VerifierAnswer {
  readonly verdict: Verdict | VerdictFailure
  readonly cause: unknown
}

const failure = (code: VerdictFailure['code'], message: string, cause?: unknown): VerifierAnswer => {
  return { verdict: { kind: 'failure', code, message }, cause }
}

/** Asks the verifiers about one finished rollout. Never rejects: what goes wrong is a reason to stay unscored. */
export async function askVerifier(question: VerifierQuestion): Promise<VerifierAnswer> {
  const { world, timeoutMs, context, clock, input } = question
  const capturing = attempt(() => world.capture(), timeoutMs, context.signal, clock)
  const captured = isPromise(capturing) ? await capturing : capturing
  if (captured.kind !== 'value') return unread(captured, 'state_unreadable', `the state of ${input.environment.id}`)
  const { initial, final: left, diff } = captured.value ?? statelessWorld
  const final = new FinalState(left)
  const judging = attempt(
    () => question.pipeline.judge({ ...input, initial, final, diff }, context),
    timeoutMs,
    context.signal,
    clock,
  )
  const judged = isPromise(judging) ? await judging : judging
  if (final.refusal !== null) return { verdict: outgrownVerdict(final.refusal), cause: final.refusal }
  if (judged.kind !== 'value') return unread(judged, 'verifier_failed', `the verifier of ${input.task.id}`)
  return readVerdict(judged.value, input)
}

function unread(
  settled: Exclude<Settled<unknown>, { kind: 'value' }>,
  code: 'state_unreadable' | 'verifier_failed',
  what: string,
): VerifierAnswer {
  if (settled.kind === 'timeout') return failure('verifier_timeout', `${what}: no answer within its time limit`)
  if (settled.kind === 'aborted') return failure(code, `${what}: cancelled`)
  const { cause } = settled
  if (isRlenvError(cause) && cause.code === 'RLENV_PLUGIN_STALLED') {
    return failure('verifier_timeout', `${what}: ${cause.message}`, cause)
  }
  const isInvalid = isRlenvError(cause) && cause.code === 'RLENV_PLUGIN_RETURNED_INVALID'
  return failure(isInvalid ? 'verdict_invalid' : code, `${what}: ${messageOf(cause)}`, cause)
}

function readVerdict(verdict: Verdict | undefined, { task, verifier }: VerifierQuestion['input']): VerifierAnswer {
  if (verdict === undefined) {
    return failure('no_verifier', `no plugin reads a verifier of kind "${verifier.kind}", which ${task.id} has`)
  }
  return { verdict, cause: undefined }
}

const hidden = (): never => {
  throw new RlenvError('this world shows no state, so its rollouts cannot be verified by state', {
    code: 'RLENV_DATABASE_INVALID',
    fix: 'Verify by the trajectory, or use a world that captures its state.',
  })
}

const hiddenState: StateReader = { tables: [], rows: hidden, query: hidden }
const statelessWorld: CapturedState = { initial: hiddenState, final: hiddenState, diff: [] }
