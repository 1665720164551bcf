import { boundedDiff } from '../rollout/bounded-diff.ts'
import type { Json } from '../vocabulary/json.ts'
import type { AssistantMessage, Message, ToolMessage } from '../vocabulary/message.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { Task } from '../vocabulary/task.ts'
import type { ToolResult } from '../vocabulary/tool.ts'
import type { CallRecord, Trajectory, Turn } from '../vocabulary/trajectory.ts'

/** One call of a session: what came of it, and the text for whoever called. Both are bounded in size. */
export interface SessionCall {
  /** The name the caller used. */
  readonly name: string
  /** The world's own name of the tool; null when no tool was reached. */
  readonly serverName: string | null
  /** What the tool got; null when it was no JSON object. */
  readonly arguments: Json
  /** With `{"$cut":{characters,shown}}` in place of content that was too long. */
  readonly result: ToolResult
  /** Rows that it changed. */
  readonly diff: StateDiff
  /** The result as a policy reads it; says how much is missing where it was cut. */
  readonly text: string
}

export interface RecordedSession {
  readonly task: Task
  readonly seed: number
  readonly calls: readonly SessionCall[]
  readonly answer: string | null
  /** Initial state to final state. */
  readonly diff: StateDiff
}

/** What a client did in its session, in the form of a rollout, for the verifier: one call per turn, the answer last. */
export function sessionTrajectory({ task, seed, calls, answer, diff }: RecordedSession): Trajectory {
  const messages: Message[] = [{ role: 'user', content: task.instruction }, ...calls.flatMap(exchange)]
  if (answer !== null) messages.push({ role: 'assistant', content: answer })
  const turns = calls.map((call, index): readonly CallRecord[] => {
    const { name, serverName, arguments: args, result } = call
    return [{ id: `call_${index}`, name, serverName, arguments: args, result, ...boundedDiff(call.diff) }]
  })
  return {
    id: 'session/0',
    drawId: 'session',
    rolloutIndex: 0,
    attempt: 1,
    taskId: task.id,
    environmentId: task.environmentId,
    seed,
    model: 'client',
    policyVersion: 0,
    messages,
    turns: (answer === null ? turns : [...turns, []]).map(turn),
    answer,
    stopReason: answer === null ? { kind: 'truncated', limit: 'turns' } : { kind: 'terminated', by: 'answer' },
    ...boundedDiff(diff),
    usage: { promptTokens: 0, completionTokens: 0 },
  }
}

function exchange({ name, arguments: args, text }: SessionCall, index: number): [AssistantMessage, ToolMessage] {
  const id = `call_${index}`
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }],
    },
    { role: 'tool', tool_call_id: id, content: text },
  ]
}

function turn(calls: readonly CallRecord[], index: number): Turn {
  const span = { role: 'act', policyVersion: 0, temperature: 0, actions: [], logProbs: [] }
  return { index, messageIndex: 1 + 2 * index, windowStart: 0, span, calls, truncated: false }
}
