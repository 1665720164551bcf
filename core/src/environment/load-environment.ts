import type { Environment } from '../vocabulary/environment.ts'
import { ExecutableEnvironment, type ExecutableParts, executableHash } from './executable-environment.ts'

/** Loaded environments up to a bound; those that nobody has asked for longest are let go. */
export class EnvironmentCache {
  readonly #most: number
  readonly #mostBytes: number
  /** By hash, the one that was asked for last at the end. */
  readonly #loaded = new Map<string, ExecutableEnvironment>()
  #bytes = 0

  /** @param mostBytes - of all images together. */
  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  /** The environment with a hash, or else made from these parts. @throws {RlenvError} as the constructor does. */
  load(parts: ExecutableParts, hash: string): ExecutableEnvironment {
    const known = this.#loaded.get(hash)
    const loaded = known ?? new ExecutableEnvironment(parts, hash)
    if (known !== undefined) this.#loaded.delete(hash)
    else this.#bytes += loaded.image.bytes.length
    this.#loaded.set(hash, loaded)
    this.#letGo()
    return loaded
  }

  /** Whoever still holds one that is let go can go on with it. */
  #letGo(): void {
    for (const oldest of this.#loaded.values()) {
      const { size } = this.#loaded
      if (size === 1 || (size <= this.#most && this.#bytes <= this.#mostBytes)) return
      this.#loaded.delete(oldest.hash)
      this.#bytes -= oldest.image.bytes.length
      oldest.close()
    }
  }
}

const cache = new EnvironmentCache(256, 256 * 1024 * 1024)

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

/**
 * Loads what of an environment can be executed. Equal content is loaded once, whatever object it comes in.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function loadParts(parts: ExecutableParts): ExecutableEnvironment {
  return cache.load(parts, hashOf(parts))
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
  return cache.load(environment, hash)
}
