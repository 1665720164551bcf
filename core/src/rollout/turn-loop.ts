import type { Clock } from '../determinism/clock.ts'
import { surfaceTools, type ToolSurface } from '../environment/tools/tool-surface.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import type { PolicyResponse, RolloutRequest } from '../hooks/roles.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { AssistantMessage, ChatToolCall, Message } from '../vocabulary/message.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import { type CallAnswer, CallRunner } from './call-runner.ts'
import { isContextOverflow } from './context-overflow.ts'
import { attempt, isPromise, type Settled } from './deadline.ts'
import { faultCodes } from './fault-codes.ts'
import { historyWindow } from './history-window.ts'
import { plainMessage } from './plain-message.ts'
import { answerText } from './reasoning-text.ts'
import { replyFault } from './reply-fault.ts'
import type { OpenTurn, RolloutRecord } from './rollout-record.ts'
import type { CheckContext, StepCheck, StepFault } from './step-check.ts'

/** How a turn loop plays, all defaults filled in; see `ReactRolloutOptions`. */
export interface LoopOptions {
  readonly surface: ToolSurface
  readonly historyTurns: number | null
  readonly systemPrompt: string | null
  readonly checks: readonly StepCheck[]
  readonly toolCallsPerTurn: number | null
  readonly maxCutReplies: number
}

const cutHint =
  'Your reply was cut off at the length limit before it was complete. This is not about a missing tool call: ' +
  'go on more briefly.'

/** The one loop: sample a message, carry its calls out, append their results, until something ends it. */
export class TurnLoop {
  readonly #request: RolloutRequest
  readonly #record: RolloutRecord
  readonly #options: LoopOptions
  readonly #clock: Clock
  readonly #deadline: number
  readonly #tools: readonly ToolDefinition[]
  readonly #runner: CallRunner
  readonly #context: CheckContext
  #calls = 0
  #cutReplies = 0

  constructor(
    request: RolloutRequest,
    world: WorldInstance,
    record: RolloutRecord,
    options: LoopOptions,
    clock: Clock,
  ) {
    this.#request = request
    this.#record = record
    this.#options = options
    this.#clock = clock
    this.#deadline = clock.now() + request.limits.rolloutTimeoutMs
    this.#tools = surfaceTools(world, options.surface)
    this.#runner = new CallRunner(request, world, options.surface, clock)
    this.#context = { surface: options.surface, turns: record.turns }
  }

  async play(): Promise<StopReason> {
    const { systemPrompt } = this.#options
    if (systemPrompt !== null) this.#record.messages.push({ role: 'system', content: systemPrompt })
    this.#record.messages.push({ role: 'user', content: this.#request.task.instruction })
    for (;;) {
      const stop = await this.#turn()
      if (stop !== null) return stop
    }
  }

  async #turn(): Promise<StopReason | null> {
    const limit = this.#limitReached()
    if (limit !== null) return limit
    const window = historyWindow(this.#record.messages, this.#record.turns, this.#options.historyTurns)
    const sampling = this.#sample(window.messages)
    const sampled = isPromise(sampling) ? await sampling : sampling
    if (sampled.kind !== 'value') return this.#notSampled(sampled)
    const odd = replyFault(sampled.value)
    if (odd !== null) return modelFault(faultCodes.malformedReply, `${this.#request.policy.name} returned ${odd}`)
    const message = plainMessage(sampled.value.message)
    const turn = this.#record.addTurn({ ...sampled.value, message }, window.start)
    const calls = message.tool_calls ?? []
    if (calls.length === 0 && turn.truncated) return this.#cutReply()
    this.#cutReplies = 0
    const fault = this.#faultIn((check) => check.message?.(message, this.#context))
    if (fault !== null) return fault
    return calls.length === 0 ? this.#finish(message) : this.#carryOut(calls, turn)
  }

  #limitReached(): StopReason | null {
    const { limits, signal } = this.#request
    if (signal.aborted) return { kind: 'cancelled', message: 'cancelled between turns' }
    if (this.#record.turns.length >= limits.maxTurns) return { kind: 'truncated', limit: 'turns' }
    return this.#clock.now() >= this.#deadline ? this.#outOfTime() : null
  }

  /** Once the policy has spoken, its time was its own to spend; before that, the service never answered. */
  #outOfTime(): StopReason {
    if (this.#record.turns.length > 0) return { kind: 'truncated', limit: 'wall-clock' }
    const { policy, limits } = this.#request
    const what = `${policy.name} wrote nothing within the rollout's ${limits.rolloutTimeoutMs} ms`
    return modelFault(faultCodes.rolloutTimeout, what)
  }

  #sample(messages: readonly Message[]) {
    const { policy, sampling, random, limits, signal } = this.#request
    const request = { messages, tools: this.#tools, role: 'act', sampling, random }
    const ms = Math.min(limits.turnTimeoutMs, this.#deadline - this.#clock.now())
    return attempt(() => policy.sample(request, signal), ms, signal, this.#clock)
  }

  #notSampled(settled: Exclude<Settled<PolicyResponse>, { kind: 'value' }>): StopReason {
    const { policy, limits, signal } = this.#request
    if (settled.kind === 'aborted' || signal.aborted) {
      return { kind: 'cancelled', message: `cancelled while ${policy.name} wrote` }
    }
    if (settled.kind === 'timeout') {
      if (this.#clock.now() >= this.#deadline) return this.#outOfTime()
      return modelFault(faultCodes.turnTimeout, `${policy.name} wrote nothing within ${limits.turnTimeoutMs} ms`)
    }
    if (isContextOverflow(settled.cause)) return { kind: 'truncated', limit: 'context' }
    return modelFault(faultCodes.modelError, `${policy.name} failed: ${messageOf(settled.cause)}`)
  }

  /** A reply cut off before any call is neither an answer nor a forgotten call: the policy may try again, a few times. */
  #cutReply(): StopReason | null {
    const isLast = this.#record.turns.length >= this.#request.limits.maxTurns
    if (isLast || this.#cutReplies >= this.#options.maxCutReplies) return { kind: 'truncated', limit: 'tokens' }
    this.#cutReplies++
    this.#record.messages.push({ role: 'user', content: cutHint })
    return null
  }

  #finish(message: AssistantMessage): StopReason {
    const fault = this.#faultIn((check) => check.end?.(this.#context))
    if (fault !== null) return fault
    this.#record.answer = answerText(message)
    return { kind: 'terminated', by: 'answer' }
  }

  async #carryOut(calls: readonly ChatToolCall[], turn: OpenTurn): Promise<StopReason | null> {
    for (const [index, call] of calls.entries()) {
      if (this.#request.signal.aborted) return { kind: 'cancelled', message: 'cancelled between tool calls' }
      if (this.#clock.now() >= this.#deadline) return this.#outOfTime()
      const answering = this.#answer(call, index, turn.truncated)
      const answer = isPromise(answering) ? await answering : answering
      const stop = this.#take(call, answer, turn)
      if (stop !== null) return stop
    }
    return null
  }

  #answer(call: ChatToolCall, index: number, cut: boolean): CallAnswer | Promise<CallAnswer> {
    const { toolCallsPerTurn } = this.#options
    if (toolCallsPerTurn !== null && index >= toolCallsPerTurn) {
      const message = `only ${toolCallsPerTurn} tool call per message is carried out; this one was not`
      return this.#runner.refuse(call, 'business_rejection', 'too_many_calls', message)
    }
    const { maxToolCalls } = this.#request.limits
    if (maxToolCalls !== null && this.#calls >= maxToolCalls) {
      return { record: null, text: null, stop: { kind: 'truncated', limit: 'tool-calls' } }
    }
    this.#calls++
    return this.#runner.run(call, cut)
  }

  #take(call: ChatToolCall, answer: CallAnswer, turn: OpenTurn): StopReason | null {
    const { record, text, stop } = answer
    if (record !== null) turn.calls.push(record)
    if (text !== null) this.#record.messages.push({ role: 'tool', tool_call_id: call.id, content: text })
    if (stop !== null || record === null) return stop
    return this.#faultIn((check) => check.call?.(record, this.#context))
  }

  #faultIn(ask: (check: StepCheck) => StepFault | undefined): StopReason | null {
    for (const check of this.#options.checks) {
      const fault = ask(check)
      if (fault !== undefined) return { kind: 'faulted', ...fault }
    }
    return null
  }
}

const modelFault = (code: string, message: string): StopReason => ({ kind: 'faulted', in: 'model', code, message })
