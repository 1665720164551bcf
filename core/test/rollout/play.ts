import { type Clock, systemClock } from '../../src/determinism/clock.ts'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import type { Draw, Policy, RolloutLimits, RolloutRequest, RolloutResult } from '../../src/hooks/roles.ts'
import type { World } from '../../src/hooks/world.ts'
import { ReactRollout, type ReactRolloutOptions } from '../../src/rollout/react-rollout.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import { CounterWorld, counterEnvironment } from './counter-environment.ts'

const testLimits: RolloutLimits = {
  maxTurns: 8,
  maxToolCalls: null,
  toolTimeoutMs: 10_000,
  turnTimeoutMs: 10_000,
  rolloutTimeoutMs: 60_000,
  maxResultChars: 2000,
}

export interface PlayParts {
  readonly policy: Policy
  readonly world?: World
  readonly environment?: Environment
  readonly taskIndex?: number
  readonly limits?: Partial<RolloutLimits>
  readonly options?: ReactRolloutOptions
  readonly signal?: AbortSignal
  readonly clock?: Clock
}

export function drawOf(taskId: string, ordinal = 0): Draw {
  const environmentId = taskId.split('/')[0] ?? ''
  return { id: `d${ordinal}`, ordinal, taskId, environmentId, seed: 1, policyVersion: 0 }
}

/** Plays one rollout with the turn loop. */
export function play(parts: PlayParts): Promise<RolloutResult> {
  const environment = parts.environment ?? counterEnvironment()
  const task = environment.tasks[parts.taskIndex ?? 0]!
  const request: RolloutRequest = {
    draw: drawOf(task.id),
    rolloutIndex: 0,
    attempt: 1,
    task,
    environment,
    policy: parts.policy,
    world: parts.world ?? new CounterWorld(),
    sampling: { temperature: 1, topP: 1, maxTokens: null },
    limits: { ...testLimits, ...parts.limits },
    random: RandomStream.of(0, 'play'),
    signal: parts.signal ?? new AbortController().signal,
  }
  return new ReactRollout(parts.options, parts.clock ?? systemClock).run(request)
}
