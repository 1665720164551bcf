import type { Json, JsonObject, JsonSchema } from '../../vocabulary/json.ts'
import type { ArgumentViolation } from '../../vocabulary/tool.ts'
import { objectCheck, type PropertyPlan } from './object-check.ts'
import { type ArgumentBounds, mostViolations, OpenPlaces } from './open-values.ts'
import { allowsNull, defaultOf, isObject, pointerPart, resolveReference } from './schema-references.ts'
import { numberCheck, type SchemaCheck, textCheck, typeCheck, valueCheck } from './value-checks.ts'

/** How strictly objects are read. */
export interface SchemaCheckOptions {
  /** For arguments: unknown properties are refused, null that nothing takes counts as left out, defaults are filled in. */
  readonly arguments: boolean
  /** What holds where the schema states no bound; null for none. */
  readonly bounds?: ArgumentBounds | null
}

/** Violations of one of several options that a message lists. */
const mostOfOneOption = 5

const understood = new Set(
  `type properties required additionalProperties items enum const minimum maximum exclusiveMinimum exclusiveMaximum
   multipleOf minLength maxLength pattern minItems maxItems uniqueItems anyOf nullable default title description examples
   example format contentMediaType deprecated readOnly writeOnly $ref $defs definitions $schema $id $comment`.split(
    /\s+/,
  ),
)

/** Builds closures for the subset of JSON Schema that tools are written in; null when a schema needs more than that. */
class SchemaCompiler {
  readonly #root: JsonSchema
  readonly #options: SchemaCheckOptions
  readonly #places: OpenPlaces | null
  readonly #open: string[] = []

  constructor(root: JsonSchema, options: SchemaCheckOptions) {
    this.#root = root
    this.#options = options
    this.#places = options.bounds ? new OpenPlaces(root, options.bounds) : null
  }

  compile(schema: Json | undefined): SchemaCheck | null {
    if (schema === undefined || schema === true) return this.#places?.anything ?? ((value) => value)
    if (!isObject(schema)) return null
    if (Object.keys(schema).some((keyword) => !understood.has(keyword))) return null
    if (typeof schema.$ref === 'string') return this.#compileReference(schema, schema.$ref)
    const parts = [this.#anyOf(schema), typeCheck(schema), valueCheck(schema), numberCheck(schema)]
    const texts = [this.#places?.text(schema), textCheck(schema)]
    const closed = this.#places?.closed(schema) ?? schema
    const nested = [...parts, ...texts, this.#arrayCheck(closed), this.#objectCheck(closed)]
    if (nested.includes(null)) return null
    return inSequence(nested.filter((check): check is SchemaCheck => typeof check === 'function'))
  }

  #compileReference(schema: JsonObject, reference: string): SchemaCheck | null {
    const target = resolveReference(this.#root, reference)
    if (target === undefined || this.#open.includes(reference)) return null
    if (Object.keys(schema).some((key) => key !== '$ref' && key !== 'description' && key !== 'default')) return null
    this.#open.push(reference)
    const check = this.compile(target)
    this.#open.pop()
    return check
  }

  #anyOf({ anyOf }: JsonObject): SchemaCheck | null | undefined {
    if (anyOf === undefined) return undefined
    if (!Array.isArray(anyOf)) return null
    const checks = (anyOf as readonly Json[]).map((option) => this.compile(option))
    if (checks.includes(null)) return null
    return (value, path, violations) => {
      const failed: ArgumentViolation[] = []
      for (const check of checks as readonly SchemaCheck[]) {
        const own: ArgumentViolation[] = []
        const checked = check(value, path, own)
        if (own.length === 0) return checked
        failed.push(...own.slice(0, mostOfOneOption))
      }
      violations.push({ path, message: failed.map((violation) => violation.message).join(', or ') })
      return value
    }
  }

  #arrayCheck({ items, minItems, maxItems, uniqueItems }: JsonObject): SchemaCheck | null | undefined {
    if ([items, minItems, maxItems, uniqueItems].every((part) => part === undefined)) return undefined
    const item = this.compile(items)
    if (item === null) return null
    const [least, most] = [Number(minItems ?? 0), Number(maxItems ?? Number.POSITIVE_INFINITY)]
    return (value, path, violations) => {
      if (!Array.isArray(value)) return value
      const given = value as readonly Json[]
      // Of a list that is far too long, what is beyond makes no difference.
      const list = given.length > most + mostViolations ? given.slice(0, most + mostViolations) : given
      if (list.length < least)
        violations.push({ path, message: `must have at least ${least} items, got ${given.length}` })
      if (list.length > most) violations.push({ path, message: `must have at most ${most} items, got ${given.length}` })
      if (uniqueItems === true && new Set(list.map((entry) => JSON.stringify(entry))).size < list.length) {
        violations.push({ path, message: 'must not repeat an item' })
      }
      return eachItem(list, item, path, violations)
    }
  }

  #objectCheck(schema: JsonObject): SchemaCheck | null | undefined {
    const { properties = {}, required = [], additionalProperties } = schema
    const describesObject = 'properties' in schema || 'required' in schema || additionalProperties !== undefined
    if (!describesObject) return undefined
    if (!isObject(properties) || !Array.isArray(required)) return null
    const entries = Object.entries(properties)
    const checks = entries.map(([, property]) => this.compile(property))
    const rest = this.compile(this.#rest(additionalProperties, entries.length > 0))
    if (rest === null && isObject(additionalProperties)) return null
    if (checks.includes(null)) return null
    const plans = entries.map(
      ([name, property], index): PropertyPlan => ({
        name,
        path: `/${pointerPart(name)}`,
        check: checks[index] as SchemaCheck,
        required: (required as readonly Json[]).includes(name),
        takesNull: allowsNull(this.#root, property),
        default: this.#options.arguments ? defaultOf(this.#root, property) : undefined,
      }),
    )
    const undeclared = (required as readonly Json[]).filter(
      (name): name is string => typeof name === 'string' && !(name in properties),
    )
    const mostOthers = rest === null ? Number.POSITIVE_INFINITY : (this.#places?.mostItems ?? Number.POSITIVE_INFINITY)
    return objectCheck({ plans, undeclared, rest, mostOthers, nullIsAbsent: this.#options.arguments })
  }

  /** Without a word about other properties, arguments allow none and results allow any. */
  #rest(additionalProperties: Json | undefined, hasProperties: boolean): Json | undefined {
    if (additionalProperties !== undefined) return additionalProperties
    return !(this.#options.arguments && hasProperties)
  }
}

/** Stops once there is more wrong than anybody would read. */
function eachItem(
  list: readonly Json[],
  item: SchemaCheck,
  path: string,
  violations: ArgumentViolation[],
): readonly Json[] {
  const checked: Json[] = []
  for (let i = 0; i < list.length && violations.length <= mostViolations; i++) {
    checked.push(item(list[i] as Json, `${path}/${i}`, violations))
  }
  return checked
}

function inSequence(checks: readonly SchemaCheck[]): SchemaCheck {
  const [only] = checks
  if (checks.length === 1 && only !== undefined) return only
  return (value, path, violations) => {
    let current = value
    const before = violations.length
    for (const check of checks) {
      current = check(current, path, violations)
      if (violations.length > before) break
    }
    return current
  }
}

/** The closures for a schema, or null when it needs more than the subset. */
export function compileSubset(schema: JsonSchema, options: SchemaCheckOptions): SchemaCheck | null {
  return new SchemaCompiler(schema, options).compile(schema)
}
