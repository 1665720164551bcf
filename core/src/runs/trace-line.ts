import { z } from 'zod'
import type { Outcome } from '../vocabulary/outcome.ts'
import { stopReasonName } from '../vocabulary/outcome.ts'
import { type JudgedTrajectory, judgedTrajectorySchema, type Trajectory } from '../vocabulary/trajectory.ts'
import { finiteReward } from './decided-line.ts'
import { type TraceTurn, withoutRepeatedResults, withRepeatedResults } from './repeated-results.ts'

/** What went wrong, for readers that know no outcomes. */
export interface TraceError {
  readonly type: string
  readonly message: string
  readonly blame: 'policy' | 'environment' | 'verifier' | 'nobody'
  readonly retryable: boolean
}

/** One line of a traces file, in the names that other frameworks use. */
export interface TraceLine {
  readonly id: string
  readonly task_id: string
  readonly env: string
  readonly group_id: string
  readonly rollout_index: number
  readonly attempt: number
  readonly seed: number
  readonly policy_version: number
  readonly model: string
  readonly messages: Trajectory['messages']
  readonly turns: readonly TraceTurn[]
  readonly answer: string | null
  /** Null when there is none, or none that is finite. */
  readonly reward: number | null
  readonly metrics: Readonly<Record<string, number>>
  readonly outcome: Outcome
  readonly verdict: JudgedTrajectory['verdict']
  readonly stop_reason: string
  readonly stop: Trajectory['stopReason']
  readonly error: TraceError | null
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
  readonly state_diff: Trajectory['diff']
  readonly state_diff_omitted?: number
  readonly replayed?: boolean
}

/**
 * A judged trajectory as one line of `traces.jsonl`.
 *
 * | line | here | note |
 * |---|---|---|
 * | `id`, `rollout_index`, `attempt`, `seed`, `model`, `messages`, `answer` | the same | messages in OpenAI Chat form |
 * | `task_id`, `env`, `group_id`, `policy_version` | `taskId`, `environmentId`, `drawId`, `policyVersion` | |
 * | `turns` | `turns` | with spans (actions, log-probs) and calls (both names, result, row changes with `omittedChanges`) |
 | `turns[].calls[].result` | the same | `content` is left out where the call's tool message has it, see below |
 * | `stop_reason`, `stop` | `stopReason` | the field's word, and the whole |
 * | `error` | from `outcome` | `{type, message, blame, retryable}`; null when scored |
 * | `metrics` | counted | `turns`, `tool_calls`, `tool_errors`, and `score`, `passed` where there is a verdict |
 * | `state_diff`, `state_diff_omitted` | `diff`, `omittedChanges` | initial to final state: the first rows, and how many more |
 * | `usage` | `usage` | `prompt_tokens`, `completion_tokens` |
 * | `outcome`, `verdict`, `reward`, `replayed` | of the judged trajectory | |
 *
 * Holds no wall-clock time; that lies in `timings.jsonl`.
 *
 * An ok result whose content the policy was shown as it is, is written once: in the tool message with the call's id after
 * the turn's own message, as JSON text, or as it is when it is a string (that does not read as JSON). Results that were
 * cut or that report an error stay in the call. {@link judgedFromTrace} puts the contents back.
 *
 * In `rollouts/step_<N>/train/effective/traces.jsonl` a rollout that stands in `all` of the same step has a
 * shorter line instead: `id`, `task_id`, `env`, `group_id`, `rollout_index`, `reward`, `outcome`, `replayed`.
 */
export function traceLine(judged: JudgedTrajectory): TraceLine {
  const { trajectory, outcome, verdict, reward, replayed } = judged
  return {
    id: trajectory.id,
    task_id: trajectory.taskId,
    env: trajectory.environmentId,
    group_id: trajectory.drawId,
    rollout_index: trajectory.rolloutIndex,
    attempt: trajectory.attempt,
    seed: trajectory.seed,
    policy_version: trajectory.policyVersion,
    model: trajectory.model,
    reward: finiteReward(reward),
    outcome,
    verdict,
    stop_reason: stopReasonName(trajectory.stopReason),
    stop: trajectory.stopReason,
    error: traceError(outcome, trajectory),
    answer: trajectory.answer,
    metrics: traceMetrics(judged),
    usage: {
      prompt_tokens: trajectory.usage.promptTokens,
      completion_tokens: trajectory.usage.completionTokens,
    },
    messages: trajectory.messages,
    turns: withoutRepeatedResults(trajectory),
    state_diff: trajectory.diff,
    ...(trajectory.omittedChanges !== undefined && { state_diff_omitted: trajectory.omittedChanges }),
    ...(replayed !== undefined && { replayed }),
  }
}

function traceError(outcome: Outcome, { stopReason }: Trajectory): TraceError | null {
  switch (outcome.kind) {
    case 'scored':
      return null
    case 'policy_fault':
      return { type: outcome.code, message: outcome.message, blame: 'policy', retryable: false }
    case 'environment_fault': {
      const { code: type, message, retryable } = outcome
      const isModel = stopReason.kind === 'faulted' && stopReason.in === 'model'
      return { type: isModel ? `model/${type}` : type, message, blame: 'environment', retryable }
    }
    case 'unscored':
      return { type: outcome.code, message: outcome.message, blame: 'verifier', retryable: false }
    case 'cancelled':
      return { type: 'cancelled', message: outcome.message, blame: 'nobody', retryable: true }
  }
}

function traceMetrics({ trajectory, verdict }: JudgedTrajectory): Readonly<Record<string, number>> {
  const calls = trajectory.turns.flatMap((turn) => turn.calls)
  return {
    turns: trajectory.turns.length,
    tool_calls: calls.length,
    tool_errors: calls.filter((call) => !call.result.ok).length,
    ...(verdict !== null && verdict.kind !== 'unscored' && { score: verdict.score, passed: verdict.passed ? 1 : 0 }),
  }
}

const lineSchema = z.object({
  id: z.unknown(),
  usage: z.object({ prompt_tokens: z.unknown(), completion_tokens: z.unknown() }),
})

/**
 * The judged trajectory that a line was written from; the inverse of {@link traceLine}.
 *
 * @throws {z.ZodError} when it is no line of a traces file.
 */
export function judgedFromTrace(value: unknown): JudgedTrajectory {
  const { usage } = lineSchema.parse(value)
  const line = value as Readonly<Record<keyof TraceLine, unknown>>
  const judged = judgedTrajectorySchema.parse({
    trajectory: {
      id: line.id,
      drawId: line.group_id,
      rolloutIndex: line.rollout_index,
      attempt: line.attempt,
      taskId: line.task_id,
      environmentId: line.env,
      seed: line.seed,
      model: line.model,
      policyVersion: line.policy_version,
      messages: line.messages,
      turns: line.turns,
      answer: line.answer,
      stopReason: line.stop,
      diff: line.state_diff,
      ...(line.state_diff_omitted !== undefined && { omittedChanges: line.state_diff_omitted }),
      usage: { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens },
    },
    outcome: line.outcome,
    verdict: line.verdict,
    reward: line.reward,
    ...(line.replayed !== undefined && { replayed: line.replayed }),
  })
  const { messages, turns } = judged.trajectory
  return { ...judged, trajectory: { ...judged.trajectory, turns: withRepeatedResults(messages, turns) } }
}
