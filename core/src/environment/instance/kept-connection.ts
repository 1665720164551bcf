import type { Connection } from '../sqlite/connection.ts'

/** What a connection takes besides its image: handle, schema, prepared statements. Source: measured, 250 KB. */
const connectionBytes = 256 * 1024

/** What one call needs open at once, its environment's base and its hot connection: never closed under it. */
const fewest = 2

/** What can be kept: anything that holds a connection. */
interface Closable {
  close(): void
}

/** Connections that stay open between two uses, up to a bound; the least recently used ones are closed first. */
export class ConnectionShelf {
  readonly #most: number
  readonly #mostBytes: number
  /** Least recently used first. */
  readonly #open = new Set<KeptConnection<Closable>>()
  #bytes = 0

  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  get size(): number {
    return this.#open.size
  }

  add(connection: KeptConnection<Closable>): void {
    this.#open.add(connection)
    this.#bytes += connection.bytes
    for (const oldest of this.#open) {
      if (this.size <= fewest || (this.size <= this.#most && this.#bytes <= this.#mostBytes)) return
      oldest.close()
    }
  }

  /** Notes a use. As long as there is much room, order does not matter. */
  touch(connection: KeptConnection<Closable>): void {
    if (this.size * 2 <= this.#most && this.#bytes * 2 <= this.#mostBytes) return
    this.#open.delete(connection)
    this.#open.add(connection)
  }

  remove(connection: KeptConnection<Closable>): void {
    if (this.#open.delete(connection)) this.#bytes -= connection.bytes
  }

  /** Closes all; those that are needed again are opened again. */
  close(): void {
    for (const connection of [...this.#open]) connection.close()
  }
}

/** Of all environments of this thread. */
export const keptConnections = new ConnectionShelf(512, 256 * 1024 * 1024)

/**
 * A connection that is opened when it is asked for and may be closed between two uses, so that a process can see any
 * number of environments. Whoever uses it must be able to start again from a fresh one.
 */
export class KeptConnection<Open extends Closable = Connection> {
  /** What it takes while it is open. */
  readonly bytes: number
  readonly #open: () => Open
  readonly #shelf: ConnectionShelf
  #connection: Open | null = null

  /** @param imageBytes - size of its image. */
  constructor(open: () => Open, imageBytes: number, shelf: ConnectionShelf = keptConnections) {
    this.bytes = imageBytes + connectionBytes
    this.#open = open
    this.#shelf = shelf
  }

  /** The open connection; another one than before when that was closed meanwhile. */
  get(): Open {
    if (this.#connection !== null) {
      this.#shelf.touch(this)
      return this.#connection
    }
    const connection = this.#open()
    this.#connection = connection
    this.#shelf.add(this)
    return connection
  }

  close(): void {
    const open = this.#connection
    if (open === null) return
    this.#connection = null
    this.#shelf.remove(this)
    open.close()
  }
}
