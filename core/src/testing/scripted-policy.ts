import type { RandomStream } from '../determinism/random-stream.ts'
import type { Policy, PolicyRequest, PolicyResponse } from '../hooks/roles.ts'
import type { AssistantMessage, ChatToolCall } from '../vocabulary/message.ts'
import type { Task, ToolCall } from '../vocabulary/task.ts'

/** A reply that was cut off at the length limit after this message. */
export interface CutTurn {
  readonly cut: AssistantMessage
}

/** What a scripted policy says at one turn: a final answer, one or several tool calls, or a whole message. */
export type ScriptedTurn = string | ToolCall | readonly ToolCall[] | AssistantMessage | CutTurn

export interface ScriptedPolicyOptions {
  /** Default "scripted". */
  readonly name?: string
  /** Default 0. */
  readonly policyVersion?: number
  /** Milliseconds before each reply; a function gets the rollout's stream. Default: replies at once, without a promise. */
  readonly delayMs?: number | ((random: RandomStream) => number)
}

/**
 * A policy that plays a script: the turns in order, then the last one again and again. A function is asked at every turn
 * with the request and the 0-based turn. Each rollout starts the script anew.
 */
export function scriptedPolicy(
  script: readonly ScriptedTurn[] | ((request: PolicyRequest, turn: number) => ScriptedTurn),
  options: ScriptedPolicyOptions = {},
): Policy {
  const { name = 'scripted', policyVersion = 0, delayMs } = options
  const turns = new WeakMap<RandomStream, number>()
  const next = typeof script === 'function' ? script : turnOf(script)
  return {
    name,
    policyVersion,
    sample: (request, signal) => {
      const turn = turns.get(request.random) ?? 0
      turns.set(request.random, turn + 1)
      const response = responseOf(next(request, turn), turn, policyVersion, request.sampling.temperature)
      if (delayMs === undefined) return response
      return delayed(response, typeof delayMs === 'number' ? delayMs : delayMs(request.random), signal)
    },
  }
}

function turnOf(script: readonly ScriptedTurn[]): (request: PolicyRequest, turn: number) => ScriptedTurn {
  if (script.length === 0) throw new RangeError('a script needs at least one turn')
  return (_request, turn) => script[Math.min(turn, script.length - 1)] as ScriptedTurn
}

/** The message of a scripted turn; call ids are `call_<turn>_<index>`. */
function messageOfTurn(scripted: ScriptedTurn, turn: number): AssistantMessage {
  if (typeof scripted === 'string') return { role: 'assistant', content: scripted }
  if ('role' in scripted) return scripted
  if ('cut' in scripted) return scripted.cut
  const calls: readonly ToolCall[] = 'tool' in scripted ? [scripted] : scripted
  return {
    role: 'assistant',
    content: null,
    tool_calls: calls.map((call, index): ChatToolCall => {
      const called = { name: call.tool, arguments: JSON.stringify(call.arguments) }
      return { id: `call_${turn}_${index}`, type: 'function', function: called }
    }),
  }
}

function responseOf(scripted: ScriptedTurn, turn: number, policyVersion: number, temperature: number): PolicyResponse {
  return {
    message: messageOfTurn(scripted, turn),
    span: { role: 'act', policyVersion, temperature, actions: [0], logProbs: [0] },
    finish: typeof scripted === 'object' && 'cut' in scripted ? 'length' : 'stop',
    usage: { promptTokens: 0, completionTokens: 1 },
  }
}

function delayed(response: PolicyResponse, ms: number, signal: AbortSignal): Promise<PolicyResponse> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve(response)
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

export interface GoldPolicyOptions extends ScriptedPolicyOptions {
  /** Which tools the rollouts offer. Default "direct". */
  readonly surface?: 'direct' | 'meta'
}

/**
 * A policy that plays the gold calls of the task whose instruction it is given, then its gold answer ("Done." when the
 * task asks no question).
 */
export function goldPolicy(tasks: readonly Task[], options: GoldPolicyOptions = {}): Policy {
  const scripts = new Map<string, readonly ScriptedTurn[]>()
  for (const task of tasks) scripts.set(task.instruction, goldTurns(task, options.surface ?? 'direct'))
  return scriptedPolicy(
    ({ messages }, turn) => {
      const asked = messages.find((message) => message.role === 'user')?.content ?? ''
      const script = scripts.get(asked)
      if (script === undefined) throw new RangeError(`no gold run is known for "${asked}"`)
      return script[Math.min(turn, script.length - 1)] as ScriptedTurn
    },
    { name: 'gold', ...options },
  )
}

/** The gold run of a task as a script. */
export function goldTurns(task: Task, surface: 'direct' | 'meta'): readonly ScriptedTurn[] {
  const { calls, answer } = task.gold
  const said = answer === null ? 'Done.' : typeof answer === 'string' ? answer : JSON.stringify(answer)
  if (surface === 'direct') return [...calls, said]
  const through = calls.map((call): ToolCall => {
    return { tool: 'call_tool', arguments: { tool_name: call.tool, arguments: call.arguments } }
  })
  return [{ tool: 'list_tools', arguments: {} }, ...through, said]
}
