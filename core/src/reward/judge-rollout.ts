import { type Clock, systemClock } from '../determinism/clock.ts'
import { isRlenvError, messageOf } from '../errors/rlenv-error.ts'
import type { HookContext } from '../hooks/contexts.ts'
import type { RolloutResult } from '../hooks/roles.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Outcome, Verdict } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import { askVerifier, type VerifierAnswer } from './ask-verifier.ts'
import { freezeJudged, freezeTrajectory } from './freeze-judged.ts'
import { isVerifiable, outcomeOf } from './outcome-of.ts'

/** Milliseconds that a verifier has for one rollout unless told otherwise. */
export const defaultVerifierTimeoutMs = 60_000

export interface JudgeRolloutRequest {
  readonly result: RolloutResult
  readonly task: Task
  readonly environment: Environment
  readonly pipeline: Pick<Pipeline, 'judge' | 'chain'>
  readonly context: HookContext
  /** Told why something stayed unscored, with the stack; traces hold the message alone. */
  readonly events: EventSink
  readonly clock?: Clock
  readonly verifierTimeoutMs?: number
}

/**
 * Verify, then shape. The verifier sees rollouts that ended by answer or by a limit; the reward shapers see every
 * rollout that was not cancelled, so that presets can give their numbers to faults as well. A reward that is not finite
 * stays in the record, is counted out by `isCounted`, and is announced. What plugins are shown is frozen, so that none
 * of them changes what the others see.
 *
 * @throws {RlenvError} RLENV_PLUGIN_RETURNED_NOTHING when a shaper returns nothing; whatever else goes wrong is data.
 */
export async function judgeRollout(request: JudgeRolloutRequest): Promise<JudgedTrajectory> {
  freezeTrajectory(request.result.trajectory)
  return freezeJudged(await decided(request))
}

async function decided(request: JudgeRolloutRequest): Promise<JudgedTrajectory> {
  const { trajectory } = request.result
  const answer = await verdictOn(request)
  if (request.context.signal.aborted) {
    const message = `cancelled while ${trajectory.taskId} was judged`
    const before = trajectory.stopReason
    const outcome: Outcome = { kind: 'cancelled', message: before.kind === 'cancelled' ? before.message : message }
    return { trajectory, outcome, verdict: null, reward: null }
  }
  const outcome = outcomeOf(trajectory.stopReason, answer?.verdict ?? null)
  const verdict = answer === null ? null : keptVerdict(answer)
  if (answer?.verdict.kind === 'failure') announce(request, answer.verdict.message, answer.cause, 'verifier')
  if (outcome.kind === 'cancelled') return { trajectory, outcome, verdict, reward: null }
  return shaped(request, { trajectory, outcome, verdict, reward: baseReward(outcome, verdict) })
}

async function verdictOn(request: JudgeRolloutRequest): Promise<VerifierAnswer | null> {
  const { result, task, environment, pipeline, context } = request
  const { trajectory, world } = result
  if (!isVerifiable(trajectory.stopReason) || world === null) return null
  const verifier = environment.verifiers[task.id]
  if (verifier === undefined) {
    const message = `${task.id} has no verifier`
    return { verdict: { kind: 'failure', code: 'no_verifier', message }, cause: undefined }
  }
  return askVerifier({
    input: { environment, task, verifier, trajectory },
    world,
    pipeline,
    context,
    clock: request.clock ?? systemClock,
    timeoutMs: request.verifierTimeoutMs ?? defaultVerifierTimeoutMs,
  })
}

function keptVerdict({ verdict }: VerifierAnswer): Verdict {
  if (verdict.kind !== 'failure') return verdict
  return { kind: 'unscored', passed: false, score: 0, evidence: [], reason: verdict.message }
}

/** What the first shaper receives: +1 passed or −1 not, −1 for the policy's own faults, 0 where nobody can say. */
function baseReward(outcome: Outcome, verdict: Verdict | null): number {
  if (outcome.kind === 'policy_fault') return -1
  if (outcome.kind !== 'scored') return 0
  return verdict?.passed === true ? 1 : -1
}

async function shaped(
  request: JudgeRolloutRequest,
  judged: JudgedTrajectory & { readonly reward: number },
): Promise<JudgedTrajectory> {
  const { pipeline, context, task } = request
  let reward: number
  try {
    reward = await pipeline.chain('rewardShaper', judged.reward, { ...context, judged: freezeJudged(judged), task })
  } catch (cause) {
    if (context.signal.aborted) {
      return { ...judged, outcome: { kind: 'cancelled', message: 'cancelled while it was shaped' }, reward: null }
    }
    // A handler that forgets to return does so every time: no reward of this run can be trusted.
    if (isRlenvError(cause) && cause.code === 'RLENV_PLUGIN_RETURNED_NOTHING') throw cause
    const message = `the reward of ${judged.trajectory.id} could not be shaped: ${messageOf(cause)}`
    announce(request, message, cause, 'rewardShaper')
    return { ...judged, outcome: { kind: 'unscored', code: 'shaper_failed', message }, reward: null }
  }
  if (!Number.isFinite(reward)) {
    announce(
      request,
      `the reward of ${judged.trajectory.id} is ${String(reward)} and is left out`,
      null,
      'rewardShaper',
    )
  }
  return { ...judged, reward }
}

function announce({ events }: JudgeRolloutRequest, message: string, cause: unknown, hook: string): void {
  const root = deepestCause(cause)
  const stack = root instanceof Error && root.stack !== undefined ? `\n${root.stack}` : ''
  events({
    type: 'warning',
    message: message + stack,
    plugin: isRlenvError(cause) ? (cause.plugin ?? null) : null,
    hook,
  })
}

function deepestCause(cause: unknown): unknown {
  let current = cause
  while (current instanceof Error && current.cause !== undefined) current = current.cause
  return current
}
