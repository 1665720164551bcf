import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { ArgumentViolation } from '../../vocabulary/tool.ts'
import { patternCost } from './pattern-cost.ts'

/** Looks at a value, notes what is wrong, and returns the value with defaults applied. */
export type SchemaCheck = (value: Json, path: string, violations: ArgumentViolation[]) => Json

/** The JSON type of a value, integers told from other numbers. */
function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** `type`, also as a list, with OpenAPI's `nullable`. As all of these: undefined for nothing to check, null for a form it cannot read. */
export function typeCheck({ type, nullable }: JsonObject): SchemaCheck | null | undefined {
  if (type === undefined) return undefined
  const listed = (Array.isArray(type) ? type : [type]) as readonly Json[]
  if (!listed.every((name) => typeof name === 'string')) return null
  const names = new Set<Json>(nullable === true ? [...listed, 'null'] : listed)
  const wanted = [...names].join(' or ')
  if (names.has('number')) names.add('integer')
  return (value, path, violations) => {
    const actual = typeOf(value)
    if (actual === wanted || names.has(actual)) return value
    violations.push({ path, message: `must be ${wanted}, got ${actual}` })
    return value
  }
}

/** `enum` and `const`. */
export function valueCheck(schema: JsonObject): SchemaCheck | null | undefined {
  const listed = 'const' in schema ? [schema.const as Json] : schema.enum
  if (listed === undefined) return undefined
  if (!Array.isArray(listed)) return null
  const texts = new Set((listed as readonly Json[]).map((option) => JSON.stringify(option)))
  if (schema.nullable === true) texts.add('null')
  const wanted = [...texts].join(', ')
  const strings = new Set((listed as readonly Json[]).filter((option) => typeof option === 'string'))
  return (value, path, violations) => {
    if (typeof value === 'string' && strings.has(value)) return value
    if (!texts.has(JSON.stringify(value))) violations.push({ path, message: `must be one of ${wanted}` })
    return value
  }
}

/** Bounds and steps of numbers. */
export function numberCheck(schema: JsonObject): SchemaCheck | null | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const given = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf].filter(
    (bound) => bound !== undefined,
  )
  if (given.length === 0) return undefined
  if (!given.every((bound) => typeof bound === 'number')) return null
  const rules: [(value: number) => boolean, string][] = []
  if (minimum !== undefined) rules.push([(value) => value >= Number(minimum), `at least ${minimum}`])
  if (maximum !== undefined) rules.push([(value) => value <= Number(maximum), `at most ${maximum}`])
  if (exclusiveMinimum !== undefined)
    rules.push([(value) => value > Number(exclusiveMinimum), `more than ${exclusiveMinimum}`])
  if (exclusiveMaximum !== undefined)
    rules.push([(value) => value < Number(exclusiveMaximum), `less than ${exclusiveMaximum}`])
  if (multipleOf !== undefined)
    rules.push([(value) => isMultiple(value, Number(multipleOf)), `a multiple of ${multipleOf}`])
  return (value, path, violations) => {
    if (typeof value !== 'number') return value
    for (const [holds, wanted] of rules)
      if (!holds(value)) violations.push({ path, message: `must be ${wanted}, got ${value}` })
    return value
  }
}

/** Allows for the rounding of decimal steps such as 0.01. */
function isMultiple(value: number, step: number): boolean {
  const ratio = value / step
  return Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio))
}

/** Length and pattern of texts. */
export function textCheck({ minLength, maxLength, pattern }: JsonObject): SchemaCheck | null | undefined {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return undefined
  if (pattern !== undefined && typeof pattern !== 'string') return null
  const longest = pattern === undefined ? 0 : patternCost(pattern).longestText
  const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Number.POSITIVE_INFINITY)]
  const expression = pattern === undefined ? null : new RegExp(pattern, 'u')
  const unmeasured = minLength === undefined && maxLength === undefined
  return (value, path, violations) => {
    if (typeof value !== 'string') return value
    const length = unmeasured ? 0 : lengthOf(value, least, most)
    if (length < least) violations.push({ path, message: `must have at least ${least} characters, got ${length}` })
    if (length > most) violations.push({ path, message: `must have at most ${most} characters, got ${length}` })
    if (expression === null) return value
    if (value.length > longest)
      violations.push({ path, message: `must have at most ${longest} characters to be matched with ${pattern}` })
    else if (!expression.test(value)) violations.push({ path, message: `must match ${pattern}` })
    return value
  }
}

/** Characters of a text; its UTF-16 units, of which a character takes one or two, where they decide already. */
function lengthOf(text: string, least: number, most: number): number {
  const { length } = text
  return length > 2 * most || (length >= 2 * least && length <= most) ? length : [...text].length
}
