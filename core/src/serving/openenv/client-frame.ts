import { isObject } from '../../environment/tools/schema-references.ts'
import { messageOf } from '../../errors/rlenv-error.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import { extraFields, type FieldError, missingField, objectField } from './field-error.ts'
import { type Fault, invalidMessage } from './server-frame.ts'

/** What a client may send over `/ws`: one JSON text frame each. */
export type ClientFrame =
  | { readonly type: 'reset'; readonly data: JsonObject }
  | { readonly type: 'step'; readonly data: JsonObject }
  | { readonly type: 'state' }
  | { readonly type: 'close' }
  /** `data` is one JSON-RPC request. */
  | { readonly type: 'mcp'; readonly data: JsonObject }

type FrameType = ClientFrame['type']

/** Whether the key `data` belongs to a frame; any key besides it and `type` is refused. */
const dataOf: Readonly<Record<FrameType, 'optional' | 'required' | 'none'>> = {
  reset: 'optional',
  step: 'required',
  state: 'none',
  close: 'none',
  mcp: 'required',
}

const isFrameType = (type: Json | undefined): type is FrameType =>
  typeof type === 'string' && Object.hasOwn(dataOf, type)

/** Reads one frame. What is wrong with it is what the client is answered; the connection goes on. */
export function readClientFrame(text: string): ClientFrame | Fault {
  let frame: Json
  try {
    frame = JSON.parse(text) as Json
  } catch (cause) {
    return { code: 'INVALID_JSON', message: `Invalid JSON: ${messageOf(cause)}` }
  }
  if (!isObject(frame)) return invalidMessage([{ type: 'dict_type', loc: [], msg: 'Input should be an object' }])
  const { type = '', data } = frame
  if (!isFrameType(type)) {
    const shown = typeof type === 'string' ? type : JSON.stringify(type)
    return { code: 'UNKNOWN_TYPE', message: `Unknown message type: ${shown.slice(0, 100)}` }
  }
  const errors = frameErrors(type, frame)
  if (errors.length > 0) return invalidMessage(errors)
  if (type === 'state' || type === 'close') return { type }
  return { type, data: (data ?? {}) as JsonObject }
}

function frameErrors(type: FrameType, frame: JsonObject): readonly FieldError[] {
  const kind = dataOf[type]
  if (kind === 'none') return extraFields(frame, ['type'])
  const extra = extraFields(frame, ['type', 'data'])
  if (kind === 'required' && frame.data === undefined) return [missingField('data'), ...extra]
  return [...objectField(frame.data, 'data'), ...extra]
}
