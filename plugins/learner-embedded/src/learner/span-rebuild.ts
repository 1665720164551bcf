import { type ActionSpan, type Message, RlenvError, type ToolDefinition, type Trajectory, type Turn } from 'rlenv'
import { CandidateBuffer } from '../decisions/candidate-buffer.ts'
import { type Chooser, planTurn } from '../decisions/turn-plan.ts'
import { TaskViews } from '../transcript/task-view.ts'
import { recallTools } from '../transcript/tool-registry.ts'
import { metaTools, TranscriptReader } from '../transcript/transcript-reader.ts'
import type { FeatureSpace } from '../weights/feature-hash.ts'
import { type PackedSpan, SpanRecorder } from '../weights/packed-span.ts'

const metaDefinitions: readonly ToolDefinition[] = [metaTools.list, metaTools.call].map((name) => ({
  name,
  description: '',
  inputSchema: {},
  readOnly: name === metaTools.list,
}))

/** Rebuilds the features of recorded decisions from the transcript, by the same code that sampled them. */
export class SpanRebuild {
  readonly #reader: TranscriptReader
  readonly #buffer: CandidateBuffer
  readonly #recorder = new SpanRecorder()

  constructor(space: FeatureSpace) {
    this.#reader = new TranscriptReader(new TaskViews(space))
    this.#buffer = new CandidateBuffer(space)
  }

  /**
   * Features of the given turns, in order.
   * @throws {RlenvError} RLENV_FILE_INVALID when the transcript does not lead to the recorded actions.
   */
  rebuild(trajectory: Trajectory, turns: readonly number[]): PackedSpan[] {
    const growing: Message[] = []
    return turns.map((index) => {
      const turn = trajectory.turns[index]
      if (turn === undefined) throw notReplayable(trajectory, index, 'it has no such turn')
      return this.#replay(trajectory, turn, seenAt(trajectory, turn, growing))
    })
  }

  #replay(trajectory: Trajectory, turn: Turn, messages: readonly Message[]): PackedSpan {
    this.#recorder.reset()
    const episode = this.#reader.read(messages, offeredTools(trajectory, turn))
    const chooser = new ReplayChooser(turn.span, this.#recorder, (why) => notReplayable(trajectory, turn.index, why))
    if (episode !== null) planTurn(episode, this.#buffer, chooser)
    chooser.finish()
    return this.#recorder.pack()
  }
}

/** Chooses what was recorded. */
class ReplayChooser implements Chooser {
  readonly #actions: readonly number[]
  readonly #recorder: SpanRecorder
  readonly #failure: (why: string) => RlenvError
  #next = 0

  constructor(span: ActionSpan, recorder: SpanRecorder, failure: (why: string) => RlenvError) {
    this.#actions = span.actions
    this.#recorder = recorder
    this.#failure = failure
  }

  choose(buffer: CandidateBuffer): number {
    const action = this.#actions[this.#next]
    if (action === undefined) throw this.#failure(`it records ${this.#next} decisions and needs more`)
    if (action >= buffer.count) {
      throw this.#failure(`decision ${this.#next} chose candidate ${action} of ${buffer.count}`)
    }
    this.#next++
    this.#recorder.add(buffer)
    return action
  }

  /** Every recorded action must have been used. */
  finish(): void {
    if (this.#next === this.#actions.length) return
    throw this.#failure(`it records ${this.#actions.length} decisions and needs ${this.#next}`)
  }
}

/** The messages that the policy saw at a turn; `growing` is read on when it saw everything. */
function seenAt(trajectory: Trajectory, turn: Turn, growing: Message[]): readonly Message[] {
  if (turn.windowStart === 0) {
    if (growing.length > turn.messageIndex) return trajectory.messages.slice(0, turn.messageIndex)
    growing.push(...trajectory.messages.slice(growing.length, turn.messageIndex))
    return growing
  }
  const head = trajectory.turns[1]?.messageIndex ?? 0
  return [...trajectory.messages.slice(0, head), ...trajectory.messages.slice(turn.windowStart, turn.messageIndex)]
}

function offeredTools(trajectory: Trajectory, turn: Turn): readonly ToolDefinition[] {
  const hash = turn.span.toolsHash
  if (hash === undefined) return metaDefinitions
  const tools = recallTools(hash)
  if (tools === undefined)
    throw notReplayable(trajectory, turn.index, `the tools ${hash.slice(0, 12)} are not known here`)
  return tools
}

function notReplayable(trajectory: Trajectory, turn: number, why: string): RlenvError {
  return new RlenvError(`turn ${turn} of trajectory ${trajectory.id} cannot be replayed: ${why}`, {
    code: 'RLENV_FILE_INVALID',
    fix: 'Train on trajectories that this version of @rlenv/learner-embedded sampled.',
  })
}
