import {
  loadEnvironment,
  type Message,
  metaSurface,
  type Policy,
  RandomStream,
  routeCall,
  type TrainingSample,
  type Trajectory,
  type Turn,
} from 'rlenv'
import { tinyEnvironment } from 'rlenv/testing'

export const library = tinyEnvironment()
const { signal } = new AbortController()

export interface Play {
  readonly policy: Policy
  readonly surface?: 'direct' | 'meta'
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly task?: number
  readonly maxTurns?: number
}

/** Plays one task of the tiny library and returns what happened. */
export async function playLibrary(play: Play): Promise<Trajectory> {
  const { policy, surface = 'direct', temperature = 1, topP = 1, seed = 1, task = 0, maxTurns = 8 } = play
  const world = loadEnvironment(library).open({ seed: 1 })
  const tools = surface === 'meta' ? metaSurface : world.tools
  const messages: Message[] = [{ role: 'user', content: library.tasks[task]?.instruction ?? '' }]
  const turns: Turn[] = []
  const random = RandomStream.of(seed, 'play')
  const sampling = { temperature, topP, maxTokens: null }
  let answer: string | null = null
  while (turns.length < maxTurns && answer === null) {
    const { message, span } = await policy.sample({ messages, tools, role: 'act', sampling, random }, signal)
    turns.push({
      index: turns.length,
      messageIndex: messages.length,
      windowStart: 0,
      span,
      calls: [],
      truncated: false,
    })
    messages.push(message)
    if (message.tool_calls === undefined) answer = message.content
    for (const { id, function: call } of message.tool_calls ?? []) {
      const { outcome } = await routeCall(world, surface, call.name, JSON.parse(call.arguments), signal)
      const { result } = outcome
      const content = JSON.stringify(result.ok ? result.content : { error: result.error })
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
  world.close()
  return {
    id: `d${seed}/0`,
    drawId: `d${seed}`,
    rolloutIndex: 0,
    attempt: 1,
    taskId: library.tasks[task]?.id ?? '',
    environmentId: library.id,
    seed: 1,
    model: policy.name,
    policyVersion: policy.policyVersion,
    messages,
    turns,
    answer,
    stopReason: answer === null ? { kind: 'truncated', limit: 'turns' } : { kind: 'terminated', by: 'answer' },
    diff: [],
    usage: { promptTokens: 0, completionTokens: 0 },
  }
}

/** All turns of a trajectory as one training sample with one advantage. */
export function sampleOf(trajectory: Trajectory, advantage = 1): TrainingSample {
  const actions = trajectory.turns.flatMap((turn) => turn.span.actions)
  const logProbs = trajectory.turns.flatMap((turn) => turn.span.logProbs)
  return {
    trajectory,
    turns: trajectory.turns.map((turn) => turn.index),
    role: 'act',
    policyVersion: trajectory.policyVersion,
    actions: Int32Array.from(actions),
    mask: new Uint8Array(actions.length).fill(1),
    behaviorLogProbs: Float64Array.from(logProbs),
    advantages: new Float64Array(actions.length).fill(advantage),
    weights: new Float64Array(actions.length).fill(1),
  }
}
