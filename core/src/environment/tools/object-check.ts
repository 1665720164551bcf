import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { ArgumentViolation } from '../../vocabulary/tool.ts'
import { mostViolations } from './open-values.ts'
import { isObject, pointerPart, shownPart } from './schema-references.ts'
import type { SchemaCheck } from './value-checks.ts'

/** What to do about one declared property. */
export interface PropertyPlan {
  readonly name: string
  readonly path: string
  readonly check: SchemaCheck
  readonly required: boolean
  readonly takesNull: boolean
  readonly default: Json | undefined
}

export interface ObjectPlan {
  readonly plans: readonly PropertyPlan[]
  readonly undeclared: readonly string[]
  /** For properties without a plan; null refuses them. */
  readonly rest: SchemaCheck | null
  /** Most properties without a plan. */
  readonly mostOthers: number
  /** Whether null counts as left out where the schema does not take it. */
  readonly nullIsAbsent: boolean
}

/** Checks an object property by property and returns it without nulls that nothing takes, with defaults filled in. */
export function objectCheck(plan: ObjectPlan): SchemaCheck {
  const declared = new Set(plan.plans.map((property) => property.name))
  const known = [...declared].join(', ') || 'none'
  return (value, path, violations) => {
    if (!isObject(value)) return value
    const checked: Record<string, Json> = {}
    const seen = checkDeclared(plan, value, path, violations, checked)
    for (const name of plan.undeclared) {
      if (!Object.hasOwn(value, name)) violations.push({ path: `${path}/${pointerPart(name)}`, message: 'is required' })
    }
    const others = Object.keys(value)
    if (others.length > seen) {
      const unplanned = others.filter((name) => !declared.has(name))
      checkOthers(plan, unplanned, { value, path, violations, checked, known })
    }
    return checked
  }
}

/** What is known while properties without a plan are looked at. */
interface OtherProperties {
  readonly value: JsonObject
  readonly path: string
  readonly violations: ArgumentViolation[]
  readonly checked: Record<string, Json>
  /** Names of the declared properties, for the message. */
  readonly known: string
}

/** Stops once there is more wrong than anybody would read. */
function checkOthers(plan: ObjectPlan, names: readonly string[], at: OtherProperties): void {
  const { path, violations } = at
  if (names.length > plan.mostOthers)
    violations.push({ path, message: `must have at most ${plan.mostOthers} such properties, got ${names.length}` })
  for (const name of names) {
    if (violations.length > mostViolations) return
    checkOther(plan, name, at)
  }
}

function checkOther({ rest }: ObjectPlan, name: string, at: OtherProperties): void {
  const path = `${at.path}/${shownPart(name)}`
  if (rest !== null) setOwn(at.checked, name, rest(at.value[name] as Json, path, at.violations))
  else at.violations.push({ path, message: `is not an argument of this tool; known: ${at.known}` })
}

/** Fills `checked` and returns how many of the declared properties were given. */
function checkDeclared(
  { plans, nullIsAbsent }: ObjectPlan,
  value: JsonObject,
  path: string,
  violations: ArgumentViolation[],
  checked: Record<string, Json>,
): number {
  let seen = 0
  for (const plan of plans) {
    const given = Object.hasOwn(value, plan.name) ? value[plan.name] : undefined
    if (given !== undefined) seen++
    const result = checkProperty(plan, given, path, violations, nullIsAbsent)
    if (result !== undefined) setOwn(checked, plan.name, result)
  }
  return seen
}

/** Assigns without ever reaching a prototype's setter. */
function setOwn(target: Record<string, Json>, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}

function checkProperty(
  plan: PropertyPlan,
  given: Json | undefined,
  path: string,
  violations: ArgumentViolation[],
  nullIsAbsent: boolean,
): Json | undefined {
  if (given === undefined || (given === null && nullIsAbsent && !plan.required && !plan.takesNull)) {
    if (plan.default !== undefined) return plan.default
    if (plan.required) violations.push({ path: path + plan.path, message: 'is required' })
    return undefined
  }
  return plan.check(given, path + plan.path, violations)
}
