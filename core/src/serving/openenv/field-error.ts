import { isObject } from '../../environment/tools/schema-references.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'

/** One thing wrong with a message, in the words of the validation library that OpenEnv's clients know. */
export interface FieldError {
  readonly type: string
  /** Keys and positions from the whole to the part. */
  readonly loc: readonly (string | number)[]
  readonly msg: string
}

export const missingField = (...loc: string[]): FieldError => ({ type: 'missing', loc, msg: 'Field required' })

export const wrongType = (type: 'dict' | 'string' | 'int' | 'float', ...loc: string[]): FieldError => {
  const noun = { dict: 'dictionary', string: 'string', int: 'integer', float: 'number' }[type]
  return { type: `${type}_type`, loc, msg: `Input should be a valid ${noun}` }
}

/** Keys of `value` that are not among the known ones. */
export function extraFields(value: JsonObject, known: readonly string[], ...at: string[]): readonly FieldError[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ type: 'extra_forbidden', loc: [...at, key], msg: 'Extra inputs are not permitted' }))
}

/** Nothing is wrong with a field that is left out. */
export function objectField(value: Json | undefined, ...loc: string[]): readonly FieldError[] {
  return value === undefined || isObject(value) ? [] : [wrongType('dict', ...loc)]
}
