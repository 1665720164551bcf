import { z } from 'zod'
import { didYouMean } from './near-names.ts'

/** One way in which a value does not fit its schema. */
export interface SchemaIssue {
  /** `tools[3].summary`; "" for the whole value. */
  readonly path: string
  /** Lower case, with the value where it is short. */
  readonly message: string
  /** The key that was probably meant, for an unknown one. */
  readonly suggestion: string | undefined
  readonly keys: readonly PropertyKey[]
}

/** `["tools", 3, "summary"]` → `tools[3].summary`. */
function formatPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? String(key) : `${path}.${String(key)}`
  }, '')
}

/** Everything that is wrong with a value, or an empty list. Unknown keys come with the key that was probably meant. */
export function schemaIssues(schema: z.ZodType, value: unknown): SchemaIssue[] {
  const result = schema.safeParse(value)
  return result.success ? [] : result.error.issues.flatMap((issue) => explain(schema, value, issue))
}

/** `training.steps: expected number, received string ("ten")`. */
export function issueText(issue: SchemaIssue): string {
  const text = issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`
  return issue.suggestion === undefined ? text : `${text}. ${issue.suggestion}`
}

function explain(schema: z.ZodType, root: unknown, issue: z.core.$ZodIssue): SchemaIssue[] {
  if (issue.code !== 'unrecognized_keys') {
    const message = `${lowerFirst(issue.message.replace(/^Invalid input: /, ''))}${quoted(valueAt(root, issue.path))}`
    return [{ path: formatPath(issue.path), message, suggestion: undefined, keys: issue.path }]
  }
  const known = keysOf(schemaAt(schema, issue.path))
  return issue.keys.map((key) => ({
    path: formatPath([...issue.path, key]),
    message: 'unknown key',
    suggestion: didYouMean(key, known) ?? knownKeys(known),
    keys: [...issue.path, key],
  }))
}

function knownKeys(known: readonly string[]): string | undefined {
  return known.length === 0 ? undefined : `Known keys: ${known.join(', ')}.`
}

function quoted(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && value !== null)) return ''
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length <= 60 ? ` (got ${text})` : ''
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function valueAt(root: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (value === null || value === undefined ? value : Reflect.get(Object(value), key)),
    root,
  )
}

function schemaAt(schema: z.core.$ZodType | undefined, keys: readonly PropertyKey[]): z.core.$ZodType | undefined {
  return keys.reduce<z.core.$ZodType | undefined>((current, key) => childOf(unwrapped(current), key), schema)
}

function childOf(schema: z.core.$ZodType | undefined, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)]
  if (schema instanceof z.ZodArray) return schema.element
  if (schema instanceof z.ZodRecord) return schema.valueType
  return undefined
}

function keysOf(schema: z.core.$ZodType | undefined): string[] {
  const inner = unwrapped(schema)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let current = schema
  while (current !== undefined) {
    const inner: unknown = Reflect.get(current._zod.def, 'innerType')
    if (!(inner instanceof z.ZodType)) return current
    current = inner
  }
  return undefined
}
