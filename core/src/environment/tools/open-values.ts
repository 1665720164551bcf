import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { ArgumentViolation } from '../../vocabulary/tool.ts'
import { shownPart } from './schema-references.ts'
import type { SchemaCheck } from './value-checks.ts'

/** What holds where a schema states no bound of its own. */
export interface ArgumentBounds {
  /** Longest text or name, in UTF-16 units, without `maxLength`. */
  readonly text: number
  /** Most entries of a list without `maxItems`, and most properties that an object has besides the declared ones. */
  readonly entries: number
}

/** For worlds whose tools run here, where the length of a text decides how long the process stands still. */
export const worldBounds: ArgumentBounds = { text: 10_000, entries: 1_000 }

/** Violations of one call that are looked for. */
export const mostViolations = 50

const tooMany = (most: number, what: string, got: number) => `must have at most ${most} ${what}, got ${got}`

function entriesOf(value: object): [string, Json][] {
  return Object.entries(value) as [string, Json][]
}

/** The first place, at any depth, that is larger than the bounds. */
export function firstExcess(value: Json, bounds: ArgumentBounds, path = ''): ArgumentViolation | null {
  if (typeof value === 'string') {
    return value.length > bounds.text ? { path, message: tooMany(bounds.text, 'characters', value.length) } : null
  }
  if (typeof value !== 'object' || value === null) return null
  const entries = entriesOf(value)
  if (entries.length > bounds.entries)
    return { path, message: tooMany(bounds.entries, Array.isArray(value) ? 'items' : 'properties', entries.length) }
  for (const [name, entry] of entries) {
    if (name.length > bounds.text)
      return { path, message: `must have names of at most ${bounds.text} characters, got one of ${name.length}` }
    const found = firstExcess(entry, bounds, `${path}/${shownPart(name)}`)
    if (found !== null) return found
  }
  return null
}

/** What a compiler of schemas does about places for which a schema states no bound. */
export class OpenPlaces {
  readonly #bounds: ArgumentBounds
  /** For places of which not even the type is stated: another part of the schema may say more about them. */
  readonly #wide: ArgumentBounds

  constructor(root: Json, bounds: ArgumentBounds) {
    this.#bounds = bounds
    this.#wide = widened(root, bounds)
  }

  /** For values that nothing is said about. */
  get anything(): SchemaCheck {
    return (value, path, violations) => {
      const found = firstExcess(value, this.#wide, path)
      if (found !== null) violations.push(found)
      return value
    }
  }

  /** Most items of a list without `maxItems`. */
  get mostItems(): number {
    return this.#wide.entries
  }

  /** The schema with bounds written in. */
  closed(schema: JsonObject): JsonObject {
    const list = mayBe(schema, 'array') && schema.maxItems === undefined ? { maxItems: this.#for(schema).entries } : {}
    const object = mayBe(schema, 'object') && schema.properties === undefined ? { properties: {} } : {}
    return { ...schema, ...list, ...object }
  }

  /** The longest text of a schema without `maxLength`. */
  text(schema: JsonObject): SchemaCheck | undefined {
    if (!mayBe(schema, 'string') || schema.maxLength !== undefined) return undefined
    const { text } = this.#for(schema)
    return (value, path, violations) => {
      if (typeof value === 'string' && value.length > text)
        violations.push({ path, message: tooMany(text, 'characters', value.length) })
      return value
    }
  }

  #for({ type }: JsonObject): ArgumentBounds {
    return type === undefined ? this.#wide : this.#bounds
  }
}

function mayBe(schema: JsonObject, type: 'string' | 'array' | 'object'): boolean {
  if (['enum', 'const', 'anyOf'].some((keyword) => keyword in schema)) return false
  return schema.type === undefined || schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))
}

/** The bounds for a schema of which only the whole can be judged: its own largest ones where they go further. */
export function widened(schema: Json, bounds: ArgumentBounds): ArgumentBounds {
  if (typeof schema !== 'object' || schema === null) return bounds
  const { maxLength, maxItems } = schema as JsonObject
  const text = Math.max(bounds.text, typeof maxLength === 'number' ? 2 * maxLength : 0)
  const entries = Math.max(bounds.entries, typeof maxItems === 'number' ? maxItems : 0)
  return entriesOf(schema).reduce((wide, [, inner]) => widened(inner, wide), { text, entries })
}
