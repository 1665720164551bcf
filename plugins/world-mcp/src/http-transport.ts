import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { HttpTarget } from './server-target.ts'

/** Milliseconds that the server has to end a session. */
const endSessionMs = 2_000

/** One session with a server over streamable HTTP. No request is ever sent twice. */
export class HttpTransport {
  readonly transport: Transport
  readonly #session: StreamableHTTPClientTransport

  constructor({ url, headers }: HttpTarget) {
    this.#session = new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers } } })
    // Its `sessionId` may be undefined, which the interface does not say under exactOptionalPropertyTypes.
    this.transport = this.#session as unknown as Transport
  }

  /** Ends the session on the server, which would keep it otherwise, then the connection. */
  async close(): Promise<void> {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, endSessionMs).unref()
    })
    // A server that cannot be reached any more holds no session, or ends it by its own rules.
    await Promise.race([this.#session.terminateSession().catch(() => undefined), late])
    await this.#session.close()
  }
}
