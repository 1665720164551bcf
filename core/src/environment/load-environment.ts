import type { Environment } from '../vocabulary/environment.ts'
import { ExecutableEnvironment, type ExecutableParts, executableHash } from './executable-environment.ts'

/** Most environments that stay loaded without anybody holding them, and most bytes of their images together. */
const mostLoaded = 256
const mostLoadedBytes = 512 * 1024 * 1024

/** Loaded environments, the one that was asked for last at the end. */
const byHash = new Map<string, ExecutableEnvironment>()
let loadedBytes = 0

const hashOfEnvironment = new WeakMap<Environment, string>()
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

/** Lets the environments go that nobody has asked for longest; whoever holds one can go on with it. */
function forgetOldest(): void {
  for (const oldest of byHash.values()) {
    if (byHash.size <= mostLoaded && (loadedBytes <= mostLoadedBytes || byHash.size === 1)) return
    byHash.delete(oldest.hash)
    loadedBytes -= oldest.image.bytes.length
    oldest.close()
  }
}

function loadHashed(parts: ExecutableParts, hash: string): ExecutableEnvironment {
  const known = byHash.get(hash)
  const loaded = known ?? new ExecutableEnvironment(parts, hash)
  if (known !== undefined) byHash.delete(hash)
  else loadedBytes += loaded.image.bytes.length
  byHash.set(hash, loaded)
  forgetOldest()
  return loaded
}

/**
 * Loads what of an environment can be executed. Equal content is loaded once, whatever object it comes in.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function loadParts(parts: ExecutableParts): ExecutableEnvironment {
  return loadHashed(parts, hashOf(parts))
}

/**
 * Loads an environment, or returns it from memory. Environments are immutable: the same object is looked at once. The
 * least recently used ones are let go, so that a process can see any number.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function loadEnvironment(environment: Environment): ExecutableEnvironment {
  const hash = hashOfEnvironment.get(environment) ?? hashOf(environment)
  hashOfEnvironment.set(environment, hash)
  return loadHashed(environment, hash)
}
