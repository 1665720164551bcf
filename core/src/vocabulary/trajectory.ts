import { z } from 'zod'
import { type Json, jsonObjectSchema } from './json.ts'
import { type Message, messageSchema } from './message.ts'
import {
  type Outcome,
  outcomeSchema,
  type StopReason,
  stopReasonSchema,
  type Verdict,
  verdictSchema,
} from './outcome.ts'
import type { StateDiff } from './state-diff.ts'
import type { ToolResult } from './tool.ts'

/**
 * What one call of a policy sampled. An action is a token for a language model and a decision (which tool, which
 * argument value) for the embedded policy. Never rebuilt from text.
 */
export interface ActionSpan {
  /** Which role of the policy spoke: "act", "rehearse", … */
  readonly role: string
  /** Number of weight updates behind the weights that sampled it. */
  readonly policyVersion: number
  readonly temperature: number
  /** Shape [T]: token ids, or index of the chosen candidate per decision. */
  readonly actions: readonly number[]
  /** Shape [T]: log-probability of each action under the sampling distribution, temperature included, in nats. */
  readonly logProbs: readonly number[]
  /** Token ids of the prompt, for policies over tokens. */
  readonly promptTokens?: readonly number[]
  /** Content hash of the tool list it was offered, for policies that rebuild their inputs and whose messages lack it. */
  readonly toolsHash?: string
}

/** One tool call of a turn and what came of it. */
export interface CallRecord {
  readonly id: string
  /** The name the policy called. */
  readonly name: string
  /** The name the world knows, for example the tool behind `call_tool`; null when nothing was reached. */
  readonly serverName: string | null
  /** Parsed arguments as the world got them; null when they were no JSON object. */
  readonly arguments: Json
  readonly result: ToolResult
  /** Rows that this call changed: the first 200, or as many as have at most 65,536 characters of JSON. */
  readonly diff: StateDiff
  /** How many more rows it changed; left out when there are none. */
  readonly omittedChanges?: number
}

/** One assistant message and what it caused. */
export interface Turn {
  /** 0-based. */
  readonly index: number
  /** Position of its assistant message in the trajectory's messages. */
  readonly messageIndex: number
  /** Position of the first message the policy saw at this turn besides the head it always sees; 0 = everything. */
  readonly windowStart: number
  readonly span: ActionSpan
  readonly calls: readonly CallRecord[]
  /** True when the sampling service cut the message off. */
  readonly truncated: boolean
}

/** The immutable record of one rollout. Holds no wall-clock time, so that equal seeds give equal bytes. */
export interface Trajectory {
  /** `<drawId>/<rolloutIndex>`, unique in a run. */
  readonly id: string
  readonly drawId: string
  readonly rolloutIndex: number
  /** 1 for the first; infrastructure faults may be tried again. */
  readonly attempt: number
  readonly taskId: string
  readonly environmentId: string
  /** Seed of the world instance. */
  readonly seed: number
  /** Name of the policy, for example "embedded" or a model's name. */
  readonly model: string
  /** Oldest policy version that took part. */
  readonly policyVersion: number
  readonly messages: readonly Message[]
  readonly turns: readonly Turn[]
  /** Text of the final answer; null when the rollout did not end with one. */
  readonly answer: string | null
  readonly stopReason: StopReason
  /** Initial state to final state, bounded as a call's is. Verifiers get the whole. */
  readonly diff: StateDiff
  /** How many more rows differ; left out when there are none. */
  readonly omittedChanges?: number
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
}

/** A trajectory with what was decided about it. */
export interface JudgedTrajectory {
  readonly trajectory: Trajectory
  readonly outcome: Outcome
  /** Null when no verifier was asked (faults, cancellation). */
  readonly verdict: Verdict | null
  /** Null when no shaper was asked (cancellation). Whether it counts is the outcome's business, see {@link isCounted}. */
  readonly reward: number | null
  /** Set when a replay store put this member into the group in place of a fresh one. */
  readonly replayed?: boolean
  /** Newest version of the learner that may learn from a replayed member; any when it is left out. */
  readonly expiresAfter?: number
}

/** Rollouts of one draw: same task, same world seed, same policy version at dispatch. */
export interface TrajectoryGroup {
  readonly drawId: string
  /** Position of the draw in the whole run; the order of work and of files. */
  readonly ordinal: number
  readonly taskId: string
  readonly environmentId: string
  readonly policyVersion: number
  readonly members: readonly JudgedTrajectory[]
}

/** Whether a member enters its group's mean, spread and loss: scored or the policy's own fault, with a finite reward. */
export function isCounted<Member extends Pick<JudgedTrajectory, 'outcome' | 'reward'>>(
  member: Member,
): member is Member & { readonly reward: number } {
  const attributable = member.outcome.kind === 'scored' || member.outcome.kind === 'policy_fault'
  return attributable && member.reward !== null && Number.isFinite(member.reward)
}

const spanSchema: z.ZodType<ActionSpan> = z.strictObject({
  role: z.string(),
  policyVersion: z.int(),
  temperature: z.number(),
  actions: z.array(z.int()),
  logProbs: z.array(z.number()),
  promptTokens: z.exactOptional(z.array(z.int())),
  toolsHash: z.exactOptional(z.string()),
})

/** A trace line holds much that only its writer produces; the parts readers branch on are checked, the rest is carried. */
export const trajectorySchema: z.ZodType<Trajectory> = z.object({
  id: z.string(),
  drawId: z.string(),
  rolloutIndex: z.int(),
  attempt: z.int(),
  taskId: z.string(),
  environmentId: z.string(),
  seed: z.int(),
  model: z.string(),
  policyVersion: z.int(),
  messages: z.array(messageSchema),
  turns: z.array(
    z.object({
      index: z.int(),
      messageIndex: z.int(),
      windowStart: z.int(),
      span: spanSchema,
      calls: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          serverName: z.string().nullable(),
          arguments: z.json() as z.ZodType<Json>,
          result: jsonObjectSchema as unknown as z.ZodType<ToolResult>,
          diff: z.array(jsonObjectSchema) as unknown as z.ZodType<StateDiff>,
          omittedChanges: z.exactOptional(z.int().min(1)),
        }),
      ),
      truncated: z.boolean(),
    }),
  ),
  answer: z.string().nullable(),
  stopReason: stopReasonSchema,
  diff: z.array(jsonObjectSchema) as unknown as z.ZodType<StateDiff>,
  omittedChanges: z.exactOptional(z.int().min(1)),
  usage: z.strictObject({ promptTokens: z.int(), completionTokens: z.int() }),
})

export const judgedTrajectorySchema: z.ZodType<JudgedTrajectory> = z.object({
  trajectory: trajectorySchema,
  outcome: outcomeSchema,
  verdict: verdictSchema.nullable(),
  reward: z.number().nullable(),
  replayed: z.exactOptional(z.boolean()),
  expiresAfter: z.exactOptional(z.int()),
})
