import { contentHash } from '../determinism/content-hash.ts'
import { rlenvVersion } from './rlenv-version.ts'

/** What made an artefact. Two artefacts with equal producers and inputs are interchangeable. */
export interface Producer {
  readonly stage: string
  /** In the order in which they were called. */
  readonly plugins: readonly { readonly name: string; readonly version: string; readonly options: unknown }[]
  /** Settings of the stage itself. */
  readonly options: unknown
  readonly seed: number
}

/**
 * sha-256, hex, of the producer, the version of rlenv and the keys of everything the producer read. Changes when
 * anything upstream does; the order of keys inside options makes no difference, that of plugins and inputs does.
 */
export function artifactKey(producer: Producer, inputs: readonly string[]): string {
  return contentHash(hashable({ rlenv: rlenvVersion, producer, inputs }))
}

/** Functions and regular expressions in options by their text, big integers by their digits: JSON would drop them. */
function hashable(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
      return { $function: String(value) }
    case 'bigint':
      return { $bigint: String(value) }
    case 'object':
      return value === null ? null : hashableObject(value)
    default:
      return value
  }
}

function hashableObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(hashable)
  if (value instanceof RegExp) return { $regexp: String(value) }
  if (value instanceof Date) return { $date: value.toISOString() }
  if (value instanceof Map || value instanceof Set) return { $entries: [...value].map(hashable) }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hashable(inner)]))
}
