import { freezeData } from '../../determinism/freeze-data.ts'
import { boundedDiff } from '../../rollout/bounded-diff.ts'
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

/** What a script's calls are in a trajectory, without what was said before and after them. */
interface Exchanges {
  readonly messages: readonly Message[]
  readonly turns: readonly Turn[]
}

/** By the calls: a verifier is shown the same gold run with many endings. */
const exchanged = new WeakMap<GoldRun['calls'], Exchanges>()

function exchangesOf(calls: GoldRun['calls']): Exchanges {
  const known = exchanged.get(calls)
  if (known !== undefined) return known
  const messages = calls.flatMap((step, index): [AssistantMessage, ToolMessage] => {
    const id = `call_${index}`
    const called = { name: step.call.tool, arguments: JSON.stringify(step.call.arguments) }
    return [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: id, content: resultText(step.result) },
    ]
  })
  const records = calls.map((step, index): readonly CallRecord[] => [
    {
      id: `call_${index}`,
      name: step.call.tool,
      serverName: step.call.tool,
      arguments: step.call.arguments,
      result: step.result,
      ...boundedDiff(step.diff),
    },
  ])
  const exchanges = freezeData({ messages, turns: [...records, []].map(turn) })
  exchanged.set(calls, exchanges)
  return exchanges
}

/** The trajectory of a script, one call per turn and the answer last, in the form of a real rollout's. */
export function scriptedTrajectory({ task, script, seed, calls, answer, diff }: ScriptedRun): Trajectory {
  const { messages, turns } = exchangesOf(calls)
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
    messages: [{ role: 'user', content: task.instruction }, ...messages, { role: 'assistant', content: answer }],
    turns,
    answer,
    stopReason: { kind: 'terminated', by: 'answer' },
    ...boundedDiff(diff),
    usage: { promptTokens: 0, completionTokens: 0 },
  }
}

function turn(calls: readonly CallRecord[], index: number): Turn {
  const span = { role: 'act', policyVersion: 0, temperature: 0, actions: [], logProbs: [] }
  return { index, messageIndex: 1 + 2 * index, windowStart: 0, span, calls, truncated: false }
}
