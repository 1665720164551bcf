import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '../errors/error-codes.ts'
import { isRlenvError } from '../errors/rlenv-error.ts'
import type { Json } from '../vocabulary/json.ts'

interface HttpProblemOptions extends ErrorOptions {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that is answered with an error. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(message: string, options: HttpProblemOptions) {
    super(message, options)
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  RLENV_USAGE: 400,
  RLENV_SESSION_UNKNOWN: 404,
  RLENV_SERVER_FULL: 503,
  RLENV_SERVER_CLOSED: 503,
  RLENV_WORLD_UNAVAILABLE: 504,
}

/** Sends a JSON document. Does nothing when the client is gone or was answered already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  document: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, status, JSON.stringify(document), { 'content-type': 'application/json', ...headers })
}

export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return
  const length = Buffer.byteLength(text)
  response.writeHead(status, { ...headers, 'content-length': length })
  response.end(text)
}

/** What was thrown while a request was handled, as `{"error":{code,message,fix}}`. What nobody expected is not shown. */
export function sendProblem(
  response: ServerResponse,
  thrown: unknown,
  extra: Readonly<Record<string, Json>> = {},
): void {
  if (thrown instanceof HttpProblem) {
    const { status, message, headers } = thrown
    sendJson(response, status, { error: { code: null, message } }, headers)
  } else if (isRlenvError(thrown)) {
    const { code, message, fix = null } = thrown
    const retry: Readonly<Record<string, string>> = code === 'RLENV_SERVER_FULL' ? { 'retry-after': '1' } : {}
    sendJson(response, statusOf[code] ?? 500, { error: { code, message, fix, ...extra } }, retry)
  } else {
    sendJson(response, 500, { error: { code: null, message: 'internal error' } })
  }
}

/**
 * The body of a request.
 *
 * @param limit - most bytes; a longer body is refused as soon as that shows.
 * @throws {HttpProblem} 413, or 400 when the client went away before its end.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  return new Promise((resolve, reject) => {
    if (announced > limit) return reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        request.removeAllListeners('data')
        return reject(tooLarge(limit))
      }
      chunks.push(chunk)
    })
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.once('error', () => reject(new HttpProblem('the request ended before its body did', { status: 400 })))
    request.once('aborted', () => reject(new HttpProblem('the request ended before its body did', { status: 400 })))
  })
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(`the body is longer than ${limit} bytes`, { status: 413 })
}
