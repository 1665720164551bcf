import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests of one connection that are under way; while more come, nothing is read from it. */
const mostUnderWay = 64

/** Keeps a client that sends requests without waiting for answers from filling the memory with them. */
export class PipelinedRequests {
  readonly #underWay = new WeakMap<Socket, number>()

  /** A request has arrived, which ends when its response is closed. */
  began(socket: Socket, response: ServerResponse): void {
    // Node lets a socket flow again whenever it has parsed a message, and whenever a body is read, so it is held afterwards.
    if (this.#count(socket, 1) > mostUnderWay) setImmediate(() => this.#hold(socket))
    response.once('close', () => {
      if (this.#count(socket, -1) === mostUnderWay) socket.resume()
    })
  }

  #hold(socket: Socket): void {
    if (this.#count(socket, 0) > mostUnderWay) socket.pause()
  }

  #count(socket: Socket, change: number): number {
    const count = (this.#underWay.get(socket) ?? 0) + change
    this.#underWay.set(socket, count)
    return count
  }
}
