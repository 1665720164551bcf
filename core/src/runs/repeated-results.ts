import { z } from 'zod'
import type { Json } from '../vocabulary/json.ts'
import type { Message } from '../vocabulary/message.ts'
import type { ToolResult } from '../vocabulary/tool.ts'
import type { CallRecord, Trajectory, Turn } from '../vocabulary/trajectory.ts'

/** A tool result; an ok one without `content` has it in the tool message of its call. */
export type TraceResult = ToolResult | { readonly ok: true; readonly notice?: string }

/** A call as a trace line has it. */
export interface TraceCall extends Omit<CallRecord, 'result'> {
  readonly result: TraceResult
}

/** A turn as a trace line has it. */
export interface TraceTurn extends Omit<Turn, 'calls'> {
  readonly calls: readonly TraceCall[]
}

/**
 * The turns without the contents that the policy was shown as they are. The message of a call is the first tool message
 * with its id after the turn's own message. What it shows otherwise (cut, an error) stays.
 */
export function withoutRepeatedResults({ messages, turns }: Trajectory): readonly TraceTurn[] {
  return turns.map((turn) => ({
    ...turn,
    calls: turn.calls.map((call) => {
      const { result } = call
      if (!result.ok || !isShown(result.content, shownText(messages, turn, call.id))) return call
      const { content: _content, ...rest } = result
      return { ...call, result: rest }
    }),
  }))
}

/**
 * The inverse of {@link withoutRepeatedResults}.
 *
 * @throws {z.ZodError} when a content is left out that no message has.
 */
export function withRepeatedResults(messages: readonly Message[], turns: readonly TraceTurn[]): readonly Turn[] {
  return turns.map((turn, at) => ({
    ...turn,
    calls: turn.calls.map((call, position) => {
      const { result } = call
      if (!isWithoutContent(result)) return { ...call, result }
      const text = shownText(messages, turn, call.id)
      if (text === null) throw nowhere(['turns', at, 'calls', position, 'result', 'content'])
      return { ...call, result: { ...result, content: contentOf(text) } }
    }),
  }))
}

function isWithoutContent(result: TraceResult): result is Exclude<TraceResult, ToolResult> {
  return result.ok && !('content' in result)
}

function shownText(messages: readonly Message[], { messageIndex }: Turn | TraceTurn, id: string): string | null {
  for (let at = messageIndex + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === 'tool' && message.tool_call_id === id) return message.content
  }
  return null
}

/** Whether {@link contentOf} makes this content of the text; a string that reads as JSON would come back as another value. */
function isShown(content: Json, text: string | null): boolean {
  if (text === null) return false
  return typeof content === 'string' ? content === text && parsed(text) === undefined : JSON.stringify(content) === text
}

/** Tools' strings are shown as they are, everything else as JSON. */
function contentOf(text: string): Json {
  const value = parsed(text)
  return value === undefined ? text : value
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function nowhere(path: (string | number)[]): z.ZodError {
  const message = 'is left out, and no tool message has it'
  return new z.ZodError([{ code: 'custom', path: ['trajectory', ...path], message, input: undefined }])
}
