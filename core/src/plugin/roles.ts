import { RlenvError } from '../errors/rlenv-error.ts'
import type { SlotName } from '../hooks/pipeline-hooks.ts'
import { type Guard, isThenable } from './guard.ts'
import { checkedAnswer } from './role-answers.ts'

/** The methods that each slot's role must have. */
const roleMethods: Readonly<Record<SlotName, readonly string[]>> = {
  sampler: ['draw', 'observe', 'state', 'restore'],
  algorithm: ['batch'],
  learner: ['accumulate', 'step', 'publish', 'save', 'load', 'close'],
  policy: ['sample'],
  world: ['open', 'close'],
  rollout: ['run'],
  curriculum: ['next'],
}

/** Methods that a slot's role may have besides, and that are called as the others are. */
const optionalMethods: { readonly [Slot in SlotName]?: readonly string[] } = { learner: ['logProbs'] }

/**
 * Slots whose failures end the run, so that they are attributed here. What a policy, a world or a rollout does wrong is
 * data, and the rollout engine decides whose fault it is.
 */
const attributedSlots: ReadonlySet<SlotName> = new Set(['sampler', 'algorithm', 'learner', 'curriculum'])

interface RoleSite {
  readonly slot: SlotName
  readonly plugin: string
}

/** @throws {RlenvError} RLENV_PLUGIN_RETURNED_INVALID naming every method that is missing. */
export function checkRole(role: unknown, { slot, plugin }: RoleSite): asserts role is object {
  const isObject = typeof role === 'object' && role !== null
  const missing = roleMethods[slot].filter((method) => !isObject || typeof Reflect.get(role, method) !== 'function')
  if (isObject && missing.length === 0) return
  const problem = isObject
    ? `without ${missing.map((method) => `${method}()`).join(', ')}`
    : `that is ${describe(role)}`
  throw new RlenvError(`${plugin} provides a ${slot} ${problem}`, {
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    plugin,
    hook: slot,
    fix: `Return an object with ${roleMethods[slot].map((method) => `${method}()`).join(', ')} from ${slot}.`,
  })
}

/** The role with its methods under attribution and watchdog, their answers checked; every other member is reached unchanged. */
export function attributedRole(role: object, site: RoleSite, guard: Guard): object {
  if (!attributedSlots.has(site.slot)) return role
  const optional = optionalMethods[site.slot]?.filter((name) => Reflect.get(role, name) !== undefined) ?? []
  const methods = new Map<PropertyKey, unknown>(
    [...roleMethods[site.slot], ...optional].map((name) => [name, guardedMethod(role, name, site, guard)]),
  )
  // Not the role itself is behind the proxy: a frozen role would forbid its methods to be replaced.
  return new Proxy(Object.create(Object.getPrototypeOf(role)), {
    get: (_, key) => methods.get(key) ?? boundMember(methods, role, key),
    set: (_, key, value) => Reflect.set(role, key, value, role),
    has: (_, key) => Reflect.has(role, key),
    ownKeys: () => Reflect.ownKeys(role),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(role, key)
      return own === undefined ? undefined : { ...own, configurable: true }
    },
  })
}

/** Methods besides the role's own run on the object behind the proxy, whose private fields they need. */
function boundMember(methods: Map<PropertyKey, unknown>, target: object, key: PropertyKey): unknown {
  const member: unknown = Reflect.get(target, key, target)
  if (typeof member !== 'function' || key === 'constructor') return member
  const bound: unknown = member.bind(target)
  methods.set(key, bound)
  return bound
}

function guardedMethod(role: object, name: string, site: RoleSite, guard: Guard): (...args: unknown[]) => unknown {
  const callSite = { plugin: site.plugin, hook: `${site.slot}.${name}` }
  const method: unknown = Reflect.get(role, name)
  if (typeof method !== 'function') throw new TypeError(`${name} is no method`)
  return (...args) =>
    guard.call(callSite, signalAmong(args) ?? never, () => checkedAnswer(callSite, Reflect.apply(method, role, args)))
}

/** Long calls take the signal that ends them; the others are waited for. */
function signalAmong(args: readonly unknown[]): AbortSignal | undefined {
  return args.find((arg) => arg instanceof AbortSignal)
}

const never = new AbortController().signal

function describe(value: unknown): string {
  return isThenable(value) ? 'a promise' : value === null ? 'null' : typeof value
}
