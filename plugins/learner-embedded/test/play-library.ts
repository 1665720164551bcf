import {
  canonicalJson,
  type EnvironmentInstance,
  loadEnvironment,
  type Message,
  metaSurface,
  type Policy,
  RandomStream,
  routeCall,
  runGold,
  type StateDiff,
  type Task,
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
  /** Position of the task in the library. */
  readonly task?: number
  readonly maxTurns?: number
}

interface Conversation {
  readonly messages: readonly Message[]
  readonly turns: readonly Turn[]
  readonly answer: string | null
}

/** Plays one task of the tiny library and returns what happened. */
export async function playLibrary(play: Play): Promise<Trajectory> {
  return (await judgeLibrary(play)).trajectory
}

/** Plays one task, and tells whether it came to the state and answer of the reference solution. */
export async function judgeLibrary(play: Play): Promise<{ trajectory: Trajectory; passed: boolean }> {
  const task = library.tasks[play.task ?? 0] as Task
  const world = loadEnvironment(library).open({ seed: 1 })
  const conversation = await converse(play, task, world)
  const passed = isSolved(task, world.diff(), conversation.answer)
  world.close()
  return { trajectory: trajectoryOf(play, task, conversation), passed }
}

async function converse(play: Play, task: Task, world: EnvironmentInstance): Promise<Conversation> {
  const { policy, surface = 'direct', temperature = 1, topP = 1, seed = 1, maxTurns = 8 } = play
  const tools = surface === 'meta' ? metaSurface : world.tools
  const messages: Message[] = [{ role: 'user', content: task.instruction }]
  const turns: Turn[] = []
  const random = RandomStream.of(seed, 'play')
  const sampling = { temperature, topP, maxTokens: null }
  while (turns.length < maxTurns) {
    const { message, span } = await policy.sample({ messages, tools, role: 'act', sampling, random }, signal)
    const at = { index: turns.length, messageIndex: messages.length, windowStart: 0 }
    turns.push({ ...at, span, calls: [], truncated: false })
    messages.push(message)
    const call = message.tool_calls?.[0]
    if (call === undefined) return { messages, turns, answer: message.content }
    const args = JSON.parse(call.function.arguments)
    const { outcome } = await routeCall(world, surface, call.function.name, args, signal)
    const { result } = outcome
    const content = JSON.stringify(result.ok ? result.content : { error: result.error })
    messages.push({ role: 'tool', tool_call_id: call.id, content })
  }
  return { messages, turns, answer: null }
}

function isSolved({ gold }: Task, diff: StateDiff, answer: string | null): boolean {
  if (answer === null || (gold.answer !== null && answer !== String(gold.answer))) return false
  const run = runGold(loadEnvironment(library), gold.calls, gold.answer, 1)
  return changes(diff).join() === changes(run.diff).join()
}

/** Rows that changed, without keys that the database made. */
function changes(diff: StateDiff): string[] {
  const texts = diff.map((change) => {
    if (change.kind !== 'insert') return canonicalJson(change)
    const given = Object.entries(change.after).filter(([column]) => !(column in change.key))
    return canonicalJson({ table: change.table, given: Object.fromEntries(given) })
  })
  return texts.sort()
}

function trajectoryOf({ policy, seed = 1 }: Play, task: Task, { messages, turns, answer }: Conversation): Trajectory {
  return {
    id: `d${seed}/0`,
    drawId: `d${seed}`,
    rolloutIndex: 0,
    attempt: 1,
    taskId: task.id,
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
