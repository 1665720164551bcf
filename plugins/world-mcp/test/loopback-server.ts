import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on a free port of this machine. */
export class LoopbackServer {
  readonly #http: Server

  constructor(listener: RequestListener) {
    this.#http = createServer(listener)
  }

  /** Resolves to the address of an MCP server behind it. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`
  }

  /** As if the network had failed for a moment. */
  cut(): void {
    this.#http.closeAllConnections()
  }

  /** As if the machine had gone. */
  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#http.close(resolve))
  }
}
