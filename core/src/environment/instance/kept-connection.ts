import type { Connection } from '../sqlite/connection.ts'

/** Most connections of all environments of this thread that stay open between two uses. */
const mostKept = 512

/** Most bytes of images that they hold together. */
const mostKeptBytes = 512 * 1024 * 1024

/** Open ones, least recently used first. */
const kept = new Set<KeptConnection>()
let keptBytes = 0

/**
 * A connection that is opened when it is asked for and may be closed between two uses, so that a process can see any
 * number of environments. Whoever uses it must be able to start again from a fresh one.
 */
export class KeptConnection {
  readonly #open: () => Connection
  readonly #bytes: number
  #connection: Connection | null = null

  /** @param bytes - size of its image. */
  constructor(open: () => Connection, bytes: number) {
    this.#open = open
    this.#bytes = bytes
  }

  /** The open connection; another one than before when that was closed meanwhile. */
  get(): Connection {
    const open = this.#connection
    if (open === null) return this.#keep()
    if (kept.size * 2 > mostKept || keptBytes * 2 > mostKeptBytes) {
      kept.delete(this)
      kept.add(this)
    }
    return open
  }

  close(): void {
    const open = this.#connection
    if (open === null) return
    this.#connection = null
    kept.delete(this)
    keptBytes -= this.#bytes
    open.close()
  }

  #keep(): Connection {
    const connection = this.#open()
    this.#connection = connection
    kept.add(this)
    keptBytes += this.#bytes
    // The two that one call needs, its environment's base and its hot connection, are never closed under it.
    while (kept.size > 2 && (kept.size > mostKept || keptBytes > mostKeptBytes)) {
      for (const oldest of kept) {
        oldest.close()
        break
      }
    }
    return connection
  }
}

/** Closes every kept connection of this thread; those that are needed again are opened again. */
export function closeKeptConnections(): void {
  for (const one of [...kept]) one.close()
}
