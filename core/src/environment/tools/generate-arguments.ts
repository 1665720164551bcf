import type { RandomStream } from '../../determinism/random-stream.ts'
import type { Json, JsonObject, JsonSchema } from '../../vocabulary/json.ts'
import { quoteName } from '../sqlite/sql-text.ts'
import type { ArgumentPool } from './argument-pool.ts'
import { ArgumentValidator, argumentSchema } from './argument-validator.ts'
import { sqlMediaType } from './callable-schema.ts'
import { dereference, isObject } from './schema-references.ts'

export interface GenerateOptions {
  /** Tables whose values come first, for example those of the tool. */
  readonly tables?: readonly string[]
  /** Probability, 0 to 1, that an optional argument is given. Default 0.5. */
  readonly optionalShare?: number
}

const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron']
const deepest = 6
/** Values of the pool are taken this often where they fit. */
const poolShare = 0.9

interface KnownValidator {
  readonly definitions: Json
  readonly validator: ArgumentValidator
}

const noDefinitions: JsonObject = {}

/** By the schema of one argument; compiling one takes longer than all that is checked with it. */
const validators = new WeakMap<JsonObject, KnownValidator>()

/** Checks `{ value }` against the schema of one argument, with the definitions of the schema that it is from. */
function validatorOf(schema: JsonObject, definitions: Json): ArgumentValidator {
  const known = validators.get(schema)
  if (known?.definitions === definitions) return known.validator
  const alone = { type: 'object', properties: { value: schema }, required: ['value'], $defs: definitions }
  const validator = new ArgumentValidator(alone as JsonSchema)
  validators.set(schema, { definitions, validator })
  return validator
}

const roots = new WeakMap<JsonSchema, JsonSchema>()

function rootOf(schema: JsonSchema): JsonSchema {
  const known = roots.get(schema) ?? argumentSchema(schema)
  roots.set(schema, known)
  return known
}

class ArgumentGenerator {
  readonly #root: JsonSchema
  readonly #random: RandomStream
  readonly #pool: ArgumentPool | null
  readonly #options: GenerateOptions

  constructor(root: JsonSchema, random: RandomStream, pool: ArgumentPool | null, options: GenerateOptions) {
    this.#root = root
    this.#random = random
    this.#pool = pool
    this.#options = options
  }

  object(schema: JsonObject, depth: number): JsonObject {
    const properties = isObject(schema.properties) ? schema.properties : {}
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const given = Object.entries(properties).filter(
      ([name]) => required.has(name) || (depth < deepest && this.#random.chance(this.#options.optionalShare ?? 0.5)),
    )
    return Object.fromEntries(given.map(([name, property]) => [name, this.#value(name, property, depth + 1)]))
  }

  #value(name: string, property: Json, depth: number): Json {
    const schema = dereference(this.#root, property)
    if (!isObject(schema)) return this.#text(name, {})
    const closed = this.#closed(schema)
    if (closed !== undefined) return this.#random.pick(closed)
    const pooled = this.#pooled(name, schema)
    return pooled === undefined ? this.#invented(name, schema, depth) : pooled
  }

  #closed(schema: JsonObject): readonly Json[] | undefined {
    if ('const' in schema) return [schema.const as Json]
    return Array.isArray(schema.enum) && schema.enum.length > 0 ? (schema.enum as readonly Json[]) : undefined
  }

  /** A value of the world, if its name leads to one that the schema takes. */
  #pooled(name: string, schema: JsonObject): Json | undefined {
    if (this.#pool === null || !this.#random.chance(poolShare)) return undefined
    const value = this.#pool.pick(name, this.#random, this.#options.tables)
    if (value === undefined) return undefined
    return validatorOf(schema, this.#root.$defs ?? noDefinitions).validate({ value }).ok ? value : undefined
  }

  #invented(name: string, schema: JsonObject, depth: number): Json {
    const options = schema.anyOf ?? schema.oneOf
    if (Array.isArray(options) && options.length > 0) {
      return this.#value(name, this.#random.pick(options as readonly Json[]), depth)
    }
    const type = Array.isArray(schema.type) ? this.#random.pick(schema.type as readonly Json[]) : schema.type
    switch (type) {
      case 'integer':
      case 'number':
        return this.#number(schema, type === 'integer')
      case 'boolean':
        return this.#random.chance(0.5)
      case 'null':
        return null
      case 'array':
        return this.#array(name, schema, depth)
      case 'object':
        return this.object(schema, depth)
      default:
        return this.#text(name, schema)
    }
  }

  #number(schema: JsonObject, integral: boolean): number {
    const bound = (inclusive: Json | undefined, exclusive: Json | undefined, step: number) =>
      typeof inclusive === 'number' ? inclusive : typeof exclusive === 'number' ? exclusive + step : undefined
    const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : integral ? 1 : 0.01
    const high = bound(schema.maximum, schema.exclusiveMaximum, -step)
    const low = bound(schema.minimum, schema.exclusiveMinimum, step) ?? Math.min(1, high ?? 1)
    const from = Math.ceil(low / step)
    const to = Math.max(from, Math.floor((high ?? low + 100 * step) / step))
    return Number(((from + this.#random.int(to - from + 1)) * step).toFixed(integral ? 0 : 6))
  }

  #array(name: string, schema: JsonObject, depth: number): readonly Json[] {
    const least = Number(schema.minItems ?? 0)
    const most = Math.max(least, Math.min(Number(schema.maxItems ?? least + 3), least + 3))
    const length = least + this.#random.int(most - least + 1)
    const item = name.replace(/s$/, '')
    const values = Array.from({ length }, () => this.#value(item, schema.items ?? {}, depth + 1))
    if (schema.uniqueItems !== true) return values
    return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
  }

  /** A query that any world can answer, for an argument that holds SQL. */
  #query(schema: JsonObject): string | undefined {
    if (schema.contentMediaType !== sqlMediaType) return undefined
    const known = this.#pool?.tables ?? []
    const near = known.filter((table) => this.#options.tables?.includes(table))
    const tables = near.length > 0 ? near : known
    if (tables.length === 0) return 'SELECT 1 AS one'
    const from = quoteName(this.#random.pick(tables))
    return this.#random.pick([`SELECT * FROM ${from} LIMIT 3`, `SELECT count(*) AS rows FROM ${from}`])
  }

  #text(name: string, schema: JsonObject): string {
    const most = Number(schema.maxLength ?? 200)
    const least = Number(schema.minLength ?? 0)
    const made = this.#query(schema) ?? textOfFormat(name, schema, this.#random) ?? this.#random.pick(words)
    return made.padEnd(least, 'x').slice(0, most)
  }
}

/** Text in the form that its schema or its name asks for. */
function textOfFormat(name: string, schema: JsonObject, random: RandomStream): string | undefined {
  const day = `2026-0${1 + random.int(9)}-1${random.int(10)}`
  if (schema.format === 'date-time' || /_at$/.test(name)) return `${day} 10:00:00`
  if (schema.format === 'date' || /(?:^|_)date$|_on$/.test(name)) return day
  if (schema.format === 'time' || /(?:^|_)time$/.test(name)) return `1${random.int(10)}:30`
  if (schema.format === 'email' || /email$/.test(name)) return `${random.pick(words)}@example.com`
  const [example] = Array.isArray(schema.examples) ? (schema.examples as readonly Json[]) : []
  return typeof example === 'string' ? example : undefined
}

/**
 * Arguments that fit a tool's input schema: required ones always, optional ones now and then; values come from the world
 * where a column's name matches, from closed sets and ranges otherwise.
 *
 * @param pool - values of the world; null makes every value up.
 */
export function generateArguments(
  schema: JsonSchema,
  random: RandomStream,
  pool: ArgumentPool | null = null,
  options: GenerateOptions = {},
): JsonObject {
  const root = rootOf(schema)
  return new ArgumentGenerator(root, random, pool, options).object(root, 0)
}
