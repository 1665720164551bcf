import type { JsonObject } from '../../vocabulary/json.ts'
import { extraFields, type FieldError, missingField, objectField, wrongType } from './field-error.ts'

/** What a step asks for, whichever dialect said it. */
export type Action =
  | { readonly kind: 'list' }
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: JsonObject }
  /** `mode` is one of the AWM dialect's words for a kind of verifier. */
  | { readonly kind: 'verify'; readonly answer: string | null; readonly mode: string }
  /** Ends the episode without a verdict. */
  | { readonly kind: 'end' }
  | { readonly kind: 'scenarios' }

/** Reads the two actions that every environment of OpenEnv with tools knows; null when it is neither of them. */
export function readToolAction(data: JsonObject): Action | readonly FieldError[] | null {
  if (data.type === 'list_tools') {
    const errors = [...extraFields(data, ['type', 'metadata']), ...objectField(data.metadata, 'metadata')]
    return errors.length > 0 ? errors : { kind: 'list' }
  }
  if (data.type !== 'call_tool') return null
  const { tool_name: tool, arguments: args = {} } = data
  const errors = [
    ...(tool === undefined ? [missingField('tool_name')] : []),
    ...(tool !== undefined && typeof tool !== 'string' ? [wrongType('string', 'tool_name')] : []),
    ...objectField(args, 'arguments'),
    ...objectField(data.metadata, 'metadata'),
    ...extraFields(data, ['type', 'tool_name', 'arguments', 'metadata']),
  ]
  return errors.length > 0 ? errors : { kind: 'call', tool: tool as string, arguments: args as JsonObject }
}

/** For an action that is none of the dialect's. */
export function unknownAction(data: JsonObject, known: readonly string[]): readonly FieldError[] {
  if (data.type === undefined) return [missingField('type')]
  const tags = known.map((tag) => `'${tag}'`).join(', ')
  return [{ type: 'union_tag_invalid', loc: ['type'], msg: `Input should be an action of one of the types ${tags}` }]
}

export const isErrors = (value: Action | readonly FieldError[]): value is readonly FieldError[] => Array.isArray(value)
