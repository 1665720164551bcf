import { z } from 'zod'
import { type Clock, systemClock } from '../determinism/clock.ts'
import type { ToolSurface } from '../environment/tools/tool-surface.ts'
import type { RolloutRequest, RolloutResult, RolloutStrategy } from '../hooks/roles.ts'
import { definePlugin, type PluginFactory } from '../plugin/define-plugin.ts'
import { runRollout } from './run-rollout.ts'
import type { StepCheck } from './step-check.ts'
import type { LoopOptions } from './turn-loop.ts'

export interface ReactRolloutOptions {
  /** Offer every tool ("direct"), or `list_tools` and `call_tool` alone ("meta"). Default "direct". */
  readonly surface?: ToolSurface
  /** Turns of history that the policy sees besides task and first exchange; null = all. Default null. */
  readonly historyTurns?: number | null
  /** Text of the system message; null = none. */
  readonly systemPrompt?: string | null
  /** Rules that end a rollout at a step, see `awmStepChecks()` and `arenaStepChecks()`. Default none. */
  readonly checks?: readonly StepCheck[]
  /** Tool calls of one message that are carried out; the others are answered with an error. Null = all. Default null. */
  readonly toolCallsPerTurn?: number | null
  /** Consecutive replies cut off at the length limit that the policy may follow with another try. Default 2. */
  readonly maxCutReplies?: number
}

const defaultSystemPrompt =
  'You work in an application through its tools. Carry out what the user asks with tool calls; ' +
  'when it is done, reply without a tool call and give the result.'

const schema = z.strictObject({
  surface: z.enum(['direct', 'meta']).default('direct'),
  historyTurns: z.int().min(0).nullable().default(null),
  systemPrompt: z.string().min(1).nullable().default(defaultSystemPrompt),
  checks: z.array(z.custom<StepCheck>(isStepCheck, 'a step check, such as argumentsCheck()')).readonly().default([]),
  toolCallsPerTurn: z.int().min(1).nullable().default(null),
  maxCutReplies: z.int().min(0).default(2),
})

function isStepCheck(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, message, call, end } = value as Partial<StepCheck>
  return typeof name === 'string' && [message, call, end].some((part) => typeof part === 'function')
}

/** Reason, act, observe: one turn loop over the tools of a world. */
export class ReactRollout implements RolloutStrategy {
  readonly name = 'react'
  readonly #options: LoopOptions
  readonly #clock: Clock

  /** @param clock - what deadlines are measured with. */
  constructor(options: ReactRolloutOptions = {}, clock: Clock = systemClock) {
    this.#options = schema.parse(options)
    this.#clock = clock
  }

  run(request: RolloutRequest): Promise<RolloutResult> {
    return runRollout(request, this.#options, this.#clock)
  }
}

/** Plays rollouts as {@link ReactRollout} does. Fills the slot `rollout`; the core's own choice for it. */
export const reactRollout: PluginFactory<ReactRolloutOptions> = definePlugin({
  name: 'rlenv/react-rollout',
  options: schema,
  setup: (options) => ({ rollout: () => new ReactRollout(options) }),
})
