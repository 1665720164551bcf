import type { Json, JsonObject, JsonSchema } from 'rlenv'
import { identifierWords } from '../text/identifier-words.ts'
import { stemHash } from '../text/stem.ts'

export const parameterTypes = ['string', 'number', 'integer', 'boolean', 'other'] as const
export type ParameterType = (typeof parameterTypes)[number]

/** What a text value must look like. */
export const parameterShapes = { any: 0, date: 1, time: 2, email: 3 } as const

/** Which end of a transfer a parameter names, by the first word of its name. */
export const parameterRoles = { none: 0, from: 1, to: 2 } as const

/** A value of a closed set with its words. */
export interface ClosedValue {
  readonly value: Json
  /** As it would stand in a text. */
  readonly phrase: string
  readonly stems: readonly number[]
}

/** One parameter of a tool as the policy looks at it. */
export interface ParameterView {
  readonly name: string
  /** Name in lower case without separators, as a hash: `customerId` equals `customer_id`. */
  readonly key: number
  /** Stems of its name without "id" and role words. */
  readonly stems: readonly number[]
  /** One of {@link parameterRoles}. */
  readonly role: number
  /** Its value is the key of a row. */
  readonly isId: boolean
  readonly type: ParameterType
  /** Closed set of values, or null. A boolean is one. */
  readonly values: readonly ClosedValue[] | null
  readonly required: boolean
  /** One of {@link parameterShapes}, from the schema's format or a pattern in its description. */
  readonly shape: number
}

const fromWords = new Set(['from', 'source', 'old', 'src'])
const toWords = new Set(['to', 'target', 'new', 'destination', 'dest'])

/** Parameters of an object schema, required ones first, each group in the schema's order. */
export function parameterViews(schema: JsonSchema): ParameterView[] {
  const properties = asObject(schema.properties)
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const views = Object.entries(properties).map(([name, value]) =>
    parameterView(name, asObject(value), required.has(name)),
  )
  return [...views.filter((view) => view.required), ...views.filter((view) => !view.required)]
}

/** A name's hash, blind to case and separators. */
export function keyHash(name: string): number {
  return stemHash(identifierWords(name).join(''))
}

/** Whether a name belongs to a key of a row: `id`, `order_id`, `orderId`. */
export function isIdName(name: string): boolean {
  return /(^|[_-])id$|[a-z]Id$/i.test(name) && identifierWords(name).at(-1) === 'id'
}

function parameterView(name: string, schema: JsonObject, required: boolean): ParameterView {
  const words = identifierWords(name)
  const values = closedValues(schema)
  const isId = values === null && isIdName(name)
  const role = roleOf(words)
  const meaningful = words.filter((word, i) => !(isId && word === 'id') && !(i === 0 && role !== 0 && words.length > 1))
  return {
    name,
    key: keyHash(name),
    stems: meaningful.map(stemHash),
    role,
    isId,
    type: typeOf(schema),
    values,
    required,
    shape: shapeOf(schema),
  }
}

function shapeOf(schema: JsonObject): number {
  const format = String(schema.format ?? '')
  const description = String(schema.description ?? '')
  if (format.startsWith('date') || /YYYY-MM-DD/i.test(description)) return parameterShapes.date
  if (format === 'time' || /HH:MM/i.test(description)) return parameterShapes.time
  return format === 'email' ? parameterShapes.email : parameterShapes.any
}

function closedValues(schema: JsonObject): ClosedValue[] | null {
  const listed = schema.type === 'boolean' ? [true, false] : schema.enum
  if (!Array.isArray(listed) || listed.length === 0) return null
  return listed.map((value: Json) => {
    const words = identifierWords(String(value))
    return { value, phrase: words.join(' '), stems: words.map(stemHash) }
  })
}

function roleOf(words: readonly string[]): number {
  const first = words[0] ?? ''
  if (fromWords.has(first)) return parameterRoles.from
  return toWords.has(first) ? parameterRoles.to : parameterRoles.none
}

function typeOf(schema: JsonObject): ParameterType {
  const declared = Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type
  return parameterTypes.find((type) => type === declared) ?? (declared === undefined ? 'string' : 'other')
}

function asObject(value: unknown): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {}
}
