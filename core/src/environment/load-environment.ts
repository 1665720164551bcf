import type { Environment } from '../vocabulary/environment.ts'
import { ExecutableEnvironment, type ExecutableParts, executableHash } from './executable-environment.ts'

/** Most environments that stay loaded without anybody holding them. */
const mostLoaded = 256

const byHash = new Map<string, ExecutableEnvironment>()
const byIdentity = new WeakMap<object, ExecutableEnvironment>()
/** Hashes of parts that are frozen, by their tools. */
const hashed = new WeakMap<ExecutableParts['tools'], ExecutableParts & { readonly hash: string }>()

/** Hashing an environment takes longer than most of what is done with it, and its parts come again and again. */
function hashOf(parts: ExecutableParts): string {
  const { database, tools, scripts } = parts
  const known = hashed.get(tools)
  if (known !== undefined && known.database === database && known.scripts === scripts) return known.hash
  const hash = executableHash(parts)
  if ([database, tools, scripts].every(Object.isFrozen)) hashed.set(tools, { database, tools, scripts, hash })
  return hash
}

/**
 * Loads what of an environment can be executed. Equal content is loaded once, whatever object it comes in.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function loadParts(parts: ExecutableParts): ExecutableEnvironment {
  const hash = hashOf(parts)
  const loaded = byHash.get(hash) ?? new ExecutableEnvironment(parts, hash)
  byHash.delete(hash)
  byHash.set(hash, loaded)
  if (byHash.size > mostLoaded) {
    const [oldest] = byHash.values()
    if (oldest !== undefined) {
      byHash.delete(oldest.hash)
      oldest.close()
    }
  }
  return loaded
}

/**
 * Loads an environment, or returns it from memory. Environments are immutable: the same object is looked at once.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function loadEnvironment(environment: Environment): ExecutableEnvironment {
  const known = byIdentity.get(environment)
  if (known !== undefined) return known
  const loaded = loadParts(environment)
  byIdentity.set(environment, loaded)
  return loaded
}
