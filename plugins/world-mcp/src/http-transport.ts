import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { HttpTarget } from './server-target.ts'

/** Milliseconds that the server has to end a session. */
const endSessionMs = 2_000
/** Milliseconds between the end of an answer's stream and the moment when an answer that was not in it is given up. */
const settleMs = 50
const maxResponseBytes = 32 * 1024 * 1024

/** One session with a server over streamable HTTP. No request is ever sent twice. */
export class HttpTransport {
  readonly transport: Transport
  readonly #session: StreamableHTTPClientTransport

  constructor({ url, headers }: HttpTarget) {
    this.#session = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: (place, init) => this.#fetch(place, init),
    })
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

  /** Bounds what comes back, and notices an answer that ends before it says anything: the SDK would wait for ever. */
  readonly #fetch: FetchLike = async (place, init) => {
    const response = await fetch(place, init)
    const id = requestId(init?.body)
    if (init?.method !== 'POST' || id === null || response.body === null) return response
    // To the SDK that is all that a notification needs, so that it reads no further and waits.
    if (response.status === 202) this.#giveUp(id)
    const body = ReadableStream.from(watched(response.body, (isResumable) => !isResumable && this.#giveUp(id)))
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
  }

  #giveUp(id: string | number): void {
    const error = { code: ErrorCode.InternalError, message: 'the server ended the connection without an answer' }
    // Nobody waits any more for a request that was answered, so that this changes nothing then.
    setTimeout(() => this.#session.onmessage?.({ jsonrpc: '2.0', id, error }), settleMs)
  }
}

function requestId(body: unknown): string | number | null {
  if (typeof body !== 'string') return null
  const message: unknown = JSON.parse(body)
  return isJSONRPCRequest(message) ? message.id : null
}

/** @param onEnd - told whether the stream can be taken up again where it ended, which the SDK then does. */
async function* watched(
  body: ReadableStream<Uint8Array>,
  onEnd: (isResumable: boolean) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0
  let isResumable = false
  try {
    for await (const chunk of body) {
      size += chunk.byteLength
      if (size > maxResponseBytes) throw new RangeError(`an answer of more than ${maxResponseBytes} bytes`)
      isResumable ||= hasEventId(chunk)
      yield chunk
    }
  } finally {
    onEnd(isResumable)
  }
}

/** Servers that can resume a stream give its events ids. */
function hasEventId(chunk: Uint8Array): boolean {
  return /^id:/m.test(Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.byteLength, 4_096)).toString('latin1'))
}
