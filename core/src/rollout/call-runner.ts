import type { Clock } from '../determinism/clock.ts'
import { type RoutedCall, routeCall, surfaceTools, type ToolSurface } from '../environment/tools/tool-surface.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import type { RolloutRequest } from '../hooks/roles.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { ChatToolCall } from '../vocabulary/message.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { ToolError, ToolErrorKind } from '../vocabulary/tool.ts'
import type { CallRecord } from '../vocabulary/trajectory.ts'
import { boundedDiff } from './bounded-diff.ts'
import { attempt, isPromise, type Settled } from './deadline.ts'
import { faultCodes } from './fault-codes.ts'
import { parseArguments } from './tool-call-arguments.ts'
import { boundedResult } from './tool-result-text.ts'

/** What became of one call: its record and the text for the policy, or the end of the rollout. */
export type CallAnswer =
  | { readonly record: CallRecord; readonly text: string; readonly stop: null }
  | { readonly record: CallRecord | null; readonly text: string | null; readonly stop: StopReason }

const environmentFault = (code: string, message: string): StopReason => {
  return { kind: 'faulted', in: 'environment', code, message }
}

const refused = (call: ChatToolCall, error: ToolError): CallRecord => {
  const { id, function: called } = call
  return { id, name: called.name, serverName: null, arguments: null, result: { ok: false, error }, diff: [] }
}

/** Carries the calls of one rollout out, each exactly once and bounded in time and in the sizes of its result and its diff. */
export class CallRunner {
  readonly #request: RolloutRequest
  readonly #world: WorldInstance
  readonly #surface: ToolSurface
  readonly #clock: Clock

  constructor(request: RolloutRequest, world: WorldInstance, surface: ToolSurface, clock: Clock) {
    this.#request = request
    this.#world = world
    this.#surface = surface
    this.#clock = clock
  }

  /** Answers a call without carrying it out. */
  refuse(call: ChatToolCall, kind: ToolErrorKind, code: string, message: string): CallAnswer {
    return this.#answer(refused(call, { kind, code, message }))
  }

  /** @param cut - whether the message that holds the call was cut off. */
  run(call: ChatToolCall, cut: boolean): CallAnswer | Promise<CallAnswer> {
    const parsed = parseArguments(call, cut)
    if (!parsed.ok) return this.#answer(refused(call, parsed.error))
    const { limits, signal } = this.#request
    const settled = attempt(
      () => routeCall(this.#world, this.#surface, call.function.name, parsed.value, signal),
      limits.toolTimeoutMs,
      signal,
      this.#clock,
    )
    if (isPromise(settled)) return settled.then((ended) => this.#ended(call, parsed.value, ended))
    return this.#ended(call, parsed.value, settled)
  }

  #ended(call: ChatToolCall, args: JsonObject, settled: Settled<RoutedCall>): CallAnswer {
    const { name } = call.function
    switch (settled.kind) {
      case 'value':
        return this.#answered(call, settled.value)
      case 'failed':
        return this.#stopped(environmentFault(faultCodes.toolCrashed, `${name} failed: ${messageOf(settled.cause)}`))
      case 'aborted':
        return this.#stopped({ kind: 'cancelled', message: `cancelled while ${name} ran` })
      case 'timeout':
        return this.#answer({
          id: call.id,
          name,
          ...this.#awaited(name, args),
          result: { ok: false, error: timeoutError(name, this.#request.limits.toolTimeoutMs) },
          diff: [],
        })
    }
  }

  /** Which of the world's tools a call waited for in vain, and what that tool got. */
  #awaited(name: string, args: JsonObject): Pick<CallRecord, 'serverName' | 'arguments'> {
    const isMeta = this.#surface === 'meta'
    const policyName = isMeta ? args.tool_name : name
    const position = surfaceTools(this.#world, 'direct').findIndex((tool) => tool.name === policyName)
    const serverName = this.#world.tools[position]?.name ?? null
    return { serverName, arguments: isMeta ? ((args.arguments ?? {}) as JsonObject) : args }
  }

  #answered(call: ChatToolCall, reached: RoutedCall): CallAnswer {
    const { name } = call.function
    const outcome = reached?.outcome
    if (typeof outcome?.result?.ok !== 'boolean' || !Array.isArray(outcome.diff)) {
      return this.#stopped(environmentFault(faultCodes.malformedResult, `${name} returned no result`))
    }
    return this.#answer({
      id: call.id,
      name,
      serverName: reached.serverName,
      arguments: reached.arguments,
      result: outcome.result,
      diff: outcome.diff,
    })
  }

  #answer(record: CallRecord): CallAnswer {
    try {
      const { text, result } = boundedResult(record.result, this.#request.limits.maxResultChars)
      const changes = boundedDiff(record.diff)
      const isWhole = result === record.result && changes.diff === record.diff
      const kept = isWhole ? record : { ...record, result, ...changes }
      if (result.ok || result.error.kind !== 'environment_fault') return { record: kept, text, stop: null }
      const { code, message } = result.error
      return { record: kept, text, stop: environmentFault(code, `${record.name}: ${message}`) }
    } catch (cause) {
      return this.#stopped(environmentFault(faultCodes.malformedResult, `${record.name}: ${messageOf(cause)}`))
    }
  }

  #stopped(stop: StopReason): CallAnswer {
    return { record: null, text: null, stop }
  }
}

function timeoutError(name: string, ms: number): ToolError {
  const message = `${name} did not answer within ${ms} ms; it may still take effect, so look before you call it again`
  return { kind: 'timeout', code: 'timeout', message }
}
