import { createRequire } from 'node:module'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { Json, JsonObject, JsonSchema } from '../../vocabulary/json.ts'
import type { ArgumentViolation } from '../../vocabulary/tool.ts'
import { deepestArguments, isNestedDeeper } from './nesting.ts'
import { type ArgumentBounds, firstExcess, mostViolations, widened } from './open-values.ts'
import { patternCost } from './pattern-cost.ts'
import { compileSubset } from './schema-check.ts'
import { allowsNull, dereference, isObject } from './schema-references.ts'
import type { SchemaCheck } from './value-checks.ts'

export type ValidatedArguments =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly violations: readonly ArgumentViolation[] }

const require = createRequire(import.meta.url)
let sharedAjv: Ajv2020 | undefined

/** Loaded at first use: most tools never need it, and it costs more than a whole environment. */
function ajv(): Ajv2020 {
  if (sharedAjv === undefined) {
    const module = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
    sharedAjv = new module.Ajv2020({
      allErrors: true,
      strict: false,
      useDefaults: true,
      validateFormats: false,
      logger: false,
    })
  }
  return sharedAjv
}

/** Every regular expression in a schema. */
function patternsIn(schema: Json): string[] {
  if (Array.isArray(schema)) return (schema as readonly Json[]).flatMap(patternsIn)
  if (!isObject(schema)) return []
  const own = [schema.pattern, ...(isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [])]
  const found = own.filter((pattern): pattern is string => typeof pattern === 'string')
  return [...found, ...Object.values(schema).flatMap(patternsIn)]
}

/** Where an error is to be fixed: a missing or unwanted property is named in the path itself. */
function violationOf(error: ErrorObject): ArgumentViolation {
  const { params } = error
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  if (property === undefined) return { path: error.instancePath, message: error.message ?? error.keyword }
  const message = 'missingProperty' in params ? 'is required' : 'is not an argument of this tool'
  return { path: `${error.instancePath}/${property}`, message }
}

/** Leaves out what counts as left out, however deep, so that ajv sees what the closures would. */
function withoutNulls(root: JsonSchema, schema: Json | undefined, value: Json): Json {
  const plain = dereference(root, schema)
  if (!isObject(plain)) return value
  const { properties, items, required } = plain
  if (Array.isArray(value)) return (value as readonly Json[]).map((entry) => withoutNulls(root, items, entry))
  if (!isObject(value) || !isObject(properties)) return value
  const mustBe = new Set(Array.isArray(required) ? required : [])
  const isLeftOut = (name: string, given: Json) =>
    given === null && !mustBe.has(name) && Object.hasOwn(properties, name) && !allowsNull(root, properties[name])
  const kept = Object.entries(value).filter(([name, given]) => !isLeftOut(name, given))
  const below = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined)
  return Object.fromEntries(kept.map(([name, given]) => [name, withoutNulls(root, below(name), given)]))
}

const unbounded: ArgumentBounds = { text: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }

function compileFull(schema: JsonSchema, strictObjects: boolean, bounds: ArgumentBounds | null): SchemaCheck {
  const open = !strictObjects || 'additionalProperties' in schema || 'unevaluatedProperties' in schema
  const validate: ValidateFunction = ajv().compile(open ? schema : { ...schema, unevaluatedProperties: false })
  const matched = Math.min(...patternsIn(schema).map((pattern) => patternCost(pattern).longestText))
  const wide = bounds === null ? unbounded : widened(schema, bounds)
  const most = { ...wide, text: Math.min(wide.text, matched) }
  const isBounded = most.text < Number.POSITIVE_INFINITY
  return (value, _path, violations) => {
    const excess = isBounded ? firstExcess(value, most) : null
    if (excess !== null) {
      violations.push(excess)
      return value
    }
    const copy = structuredClone(strictObjects ? withoutNulls(schema, schema, value) : value) as Json
    if (!validate(copy)) violations.push(...(validate.errors ?? []).slice(0, mostViolations + 1).map(violationOf))
    return copy
  }
}

function compileCheck(schema: JsonSchema, strictObjects: boolean, bounds: ArgumentBounds | null): SchemaCheck {
  const explosive = patternsIn(schema).find((pattern) => patternCost(pattern).explosive)
  if (explosive !== undefined)
    throw new Error(`pattern ${explosive} is invalid or may take time exponential in the text's length`)
  const subset = compileSubset(schema, { arguments: strictObjects, bounds })
  return subset ?? compileFull(schema, strictObjects, bounds)
}

/** A tool's parameters: `properties` is always there, so that a schema without any stands for "no arguments". */
export function argumentSchema(schema: JsonSchema): JsonSchema {
  const root = dereference(schema, schema)
  const top = isObject(root) && root !== schema ? { ...schema, ...root, $ref: undefined } : schema
  const { $ref: _reference, ...plain } = top as JsonObject
  const composed = ['anyOf', 'allOf', 'oneOf', 'patternProperties'].some((keyword) => keyword in plain)
  const closed = 'additionalProperties' in plain || composed ? {} : { additionalProperties: false }
  return { type: 'object', properties: {}, ...plain, ...closed } as JsonSchema
}

/** Those that anybody would read, and a last one that says that there are more. */
function listed(violations: readonly ArgumentViolation[]): readonly ArgumentViolation[] {
  if (violations.length <= mostViolations) return violations
  const more = { path: '', message: `have more faults than the ${mostViolations} listed here` }
  return [...violations.slice(0, mostViolations), more]
}

/**
 * Checks the arguments of one tool. Null equals left out wherever leaving out is allowed and null is not: where it is, it
 * may mean something of its own. Defaults are filled in, and an argument that the tool does not have is a violation unless
 * its schema says otherwise. Of more than 50 violations, 50 are listed.
 */
export class ArgumentValidator {
  readonly #check: SchemaCheck

  /**
   * @param bounds - what holds where the schema states no bound; null leaves it open.
   * @throws {Error} for a schema that cannot be compiled.
   */
  constructor(schema: JsonSchema, bounds: ArgumentBounds | null = null) {
    this.#check = compileCheck(argumentSchema(schema), true, bounds)
  }

  /** Nothing at all counts as no arguments. */
  validate(args: Json | undefined): ValidatedArguments {
    const given = args ?? {}
    if (!isObject(given)) return { ok: false, violations: [{ path: '', message: 'must be an object' }] }
    if (isNestedDeeper(given, deepestArguments)) {
      const message = `must not be nested in more than ${deepestArguments} levels`
      return { ok: false, violations: [{ path: '', message }] }
    }
    const violations: ArgumentViolation[] = []
    const value = this.#check(given, '', violations)
    return violations.length > 0
      ? { ok: false, violations: listed(violations) }
      : { ok: true, value: value as JsonObject }
  }
}

const resultChecks = new WeakMap<JsonSchema, SchemaCheck>()

/** Where a tool's result departs from its output schema; empty when it fits. */
export function outputViolations(schema: JsonSchema, value: Json): readonly ArgumentViolation[] {
  let check = resultChecks.get(schema)
  if (check === undefined) {
    check = compileCheck(schema, false, null)
    resultChecks.set(schema, check)
  }
  const violations: ArgumentViolation[] = []
  check(value, '', violations)
  return violations
}
