import type { PolicyResponse, RolloutRequest } from '../hooks/roles.ts'
import type { Message } from '../vocabulary/message.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { CallRecord, Trajectory, Turn } from '../vocabulary/trajectory.ts'
import type { BoundedDiff } from './bounded-diff.ts'

/** A turn while it is played. */
export interface OpenTurn extends Turn {
  readonly calls: CallRecord[]
}

/** What a trajectory says about which rollout it is. */
export type RolloutIdentity = Pick<
  RolloutRequest,
  'draw' | 'rolloutIndex' | 'attempt' | 'task' | 'environment' | 'policy'
>

/** What one rollout writes down while it goes on. `messages` is one array that only grows. */
export class RolloutRecord {
  readonly messages: Message[] = []
  readonly turns: OpenTurn[] = []
  answer: string | null = null
  #promptTokens = 0
  #completionTokens = 0

  /** Adds the policy's message as a new turn. */
  addTurn(response: PolicyResponse, windowStart: number): OpenTurn {
    const { message, span, finish, usage } = response
    this.#promptTokens += usage.promptTokens
    this.#completionTokens += usage.completionTokens
    const turn: OpenTurn = {
      index: this.turns.length,
      messageIndex: this.messages.push(message) - 1,
      windowStart,
      span,
      calls: [],
      truncated: finish === 'length',
    }
    this.turns.push(turn)
    return turn
  }

  trajectory(request: RolloutIdentity, stopReason: StopReason, changes: BoundedDiff): Trajectory {
    const { draw, rolloutIndex, attempt, task, environment, policy } = request
    let oldest = this.turns.length > 0 ? Number.POSITIVE_INFINITY : policy.policyVersion
    for (const { span } of this.turns) oldest = Math.min(oldest, span.policyVersion)
    return {
      id: `${draw.id}/${rolloutIndex}`,
      drawId: draw.id,
      rolloutIndex,
      attempt,
      taskId: task.id,
      environmentId: environment.id,
      seed: draw.seed,
      model: policy.name,
      policyVersion: oldest,
      messages: this.messages,
      turns: this.turns,
      answer: this.answer,
      stopReason,
      ...changes,
      usage: { promptTokens: this.#promptTokens, completionTokens: this.#completionTokens },
    }
  }
}
