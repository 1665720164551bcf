import { messageOf } from '../errors/rlenv-error.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import { jsonFault } from '../vocabulary/json-fault.ts'
import type { ChatToolCall } from '../vocabulary/message.ts'
import type { ToolError } from '../vocabulary/tool.ts'

export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly error: ToolError }

const invalid = (code: string, message: string): ParsedArguments => {
  return { ok: false, error: { kind: 'invalid_arguments', code, message } }
}

/** What the text holds; a text inside it is read once more, as servers that encode arguments twice send it. */
function decode(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Reads the arguments of a call. No text at all means no arguments, as many models write it. */
export function parseArguments(call: ChatToolCall, cut: boolean): ParsedArguments {
  const text = call.function.arguments
  if (text.trim() === '') return { ok: true, value: {} }
  let value: unknown
  try {
    value = decode(text)
  } catch (cause) {
    if (cut) return invalid('cut_arguments', 'the reply was cut off inside these arguments; call again, more briefly')
    return invalid('invalid_json', `the arguments are not JSON: ${messageOf(cause)}`)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
    return invalid('invalid_json', `the arguments must be a JSON object, not ${found}`)
  }
  const fault = jsonFault(value)
  if (fault !== null) return invalid('invalid_json', `the JSON of the arguments ${fault}`)
  return { ok: true, value: value as JsonObject }
}
