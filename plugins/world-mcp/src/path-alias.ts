import type { Json, JsonObject } from 'rlenv'

/** What an instance's own folder is called in calls and results. */
const alias = '/workspace'

const aliasPattern = /\/workspace(?![A-Za-z0-9_-])/g

/**
 * Each instance has a folder of another name, which must not show: equal calls would have unequal results. Wherever a text
 * goes to the server, `/workspace` becomes that folder; wherever one comes back, the folder becomes `/workspace`.
 */
export class PathAlias {
  readonly #path: string | null

  /** @param path - the folder; null for an instance without one, which changes nothing. */
  constructor(path: string | null) {
    this.#path = path
  }

  toServer(args: JsonObject): JsonObject {
    const path = this.#path
    return path === null ? args : (mapped(args, (text) => text.replaceAll(aliasPattern, () => path)) as JsonObject)
  }

  fromServer<Value>(value: Value): Value {
    const path = this.#path
    return path === null ? value : (mapped(value as Json, (text) => text.replaceAll(path, alias)) as Value)
  }
}

function mapped(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapped(item, change))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change)]))
}
