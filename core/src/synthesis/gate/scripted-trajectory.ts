import type { Json } from '../../vocabulary/json.ts'
import type { AssistantMessage, Message, ToolMessage } from '../../vocabulary/message.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import type { GoldRun, Task } from '../../vocabulary/task.ts'
import type { ToolResult } from '../../vocabulary/tool.ts'
import type { CallRecord, Trajectory, Turn } from '../../vocabulary/trajectory.ts'

/** What an agent that follows a script did. */
export interface ScriptedRun {
  readonly task: Task
  /** Name of the script, for example "gold"; the trajectory's draw and model are called so. */
  readonly script: string
  readonly seed: number
  readonly calls: GoldRun['calls']
  readonly answer: string
  /** Initial state to final state. */
  readonly diff: StateDiff
}

/** The final answer as a policy would write it: text as it is, anything else as JSON, "Done." when nothing was asked. */
export function answerText(answer: Json): string {
  if (answer === null) return 'Done.'
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

function resultText(result: ToolResult): string {
  return result.ok ? JSON.stringify(result.content) : JSON.stringify({ error: result.error })
}

/** The trajectory of a script, one call per turn and the answer last, in the form of a real rollout's. */
export function scriptedTrajectory({ task, script, seed, calls, answer, diff }: ScriptedRun): Trajectory {
  const exchanges = calls.map((step, index): [AssistantMessage, ToolMessage] => {
    const id = `call_${index}`
    const called = { name: step.call.tool, arguments: JSON.stringify(step.call.arguments) }
    return [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: id, content: resultText(step.result) },
    ]
  })
  const messages: Message[] = [
    { role: 'user', content: task.instruction },
    ...exchanges.flat(),
    { role: 'assistant', content: answer },
  ]
  const records = calls.map((step, index): readonly CallRecord[] => [
    {
      id: `call_${index}`,
      name: step.call.tool,
      serverName: step.call.tool,
      arguments: step.call.arguments,
      result: step.result,
      diff: step.diff,
    },
  ])
  return {
    id: `${script}/0`,
    drawId: script,
    rolloutIndex: 0,
    attempt: 1,
    taskId: task.id,
    environmentId: task.environmentId,
    seed,
    model: script,
    policyVersion: 0,
    messages,
    turns: [...records, []].map(turn),
    answer,
    stopReason: { kind: 'terminated', by: 'answer' },
    diff,
    usage: { promptTokens: 0, completionTokens: 0 },
  }
}

function turn(calls: readonly CallRecord[], index: number): Turn {
  const span = { role: 'act', policyVersion: 0, temperature: 0, actions: [], logProbs: [] }
  return { index, messageIndex: 1 + 2 * index, windowStart: 0, span, calls, truncated: false }
}
