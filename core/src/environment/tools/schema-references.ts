import type { Json, JsonObject, JsonSchema } from '../../vocabulary/json.ts'
import { shownName } from './tool-failure.ts'

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A key as a part of a JSON pointer. */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The same of a name that a caller made up, at a length that a message can bear. */
export const shownPart = (name: string): string => pointerPart(shownName(name))

/** The schema behind a local reference such as `#/$defs/Query`; undefined when there is none. */
export function resolveReference(root: JsonSchema, reference: string): Json | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: Json | undefined = root
  for (const part of reference.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

/** Follows local references until something else stands there. */
export function dereference(root: JsonSchema, schema: Json | undefined): Json | undefined {
  let at = schema
  for (let hops = 0; hops < 16 && isObject(at) && typeof at.$ref === 'string'; hops++)
    at = resolveReference(root, at.$ref)
  return at
}

/** Keywords without which a schema takes every kind of value. */
const narrowing = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not']

/** Whether null is a value of the schema, in any of the ways people write it. */
export function allowsNull(root: JsonSchema, property: Json | undefined): boolean {
  const schema = dereference(root, property)
  if (!isObject(schema)) return true
  if (schema.nullable === true || schema.const === null) return true
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) return true
  if (!narrowing.some((keyword) => keyword in schema)) return true
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return (options as readonly Json[]).some((option) => allowsNull(root, option))
  return Array.isArray(schema.type) ? schema.type.includes('null') : schema.type === 'null'
}

/** The value that stands for an argument left out; undefined for none. */
export function defaultOf(root: JsonSchema, property: Json | undefined): Json | undefined {
  if (isObject(property) && 'default' in property) return property.default
  const schema = dereference(root, property)
  return isObject(schema) ? schema.default : undefined
}
