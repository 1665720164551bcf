import type { Connection } from './connection.ts'

/** Most connections, over all environments, that wait for their next instance; each takes about 0.4 MB. */
const mostIdle = 128

/** Oldest first. */
const idle = new Map<Connection, Connection[]>()

/**
 * Connections of one image between two instances. Opening an image and preparing its statements costs several times
 * what an episode's SQL does, so a connection is rolled back and kept instead.
 */
export class IdleConnections {
  readonly #own: Connection[] = []

  take(): Connection | undefined {
    const connection = this.#own.pop()
    if (connection !== undefined) idle.delete(connection)
    return connection
  }

  park(connection: Connection): void {
    this.#own.push(connection)
    idle.set(connection, this.#own)
    if (idle.size > mostIdle) closeOldest()
  }

  close(): void {
    for (let connection = this.take(); connection !== undefined; connection = this.take()) connection.close()
  }
}

function closeOldest(): void {
  for (const [connection, owner] of idle) {
    idle.delete(connection)
    owner.splice(owner.indexOf(connection), 1)
    connection.close()
    return
  }
}
