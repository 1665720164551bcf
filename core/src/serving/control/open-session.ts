import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import { sendJson, sendProblem } from '../http-problem.ts'
import type { Session } from '../session.ts'
import type { SessionBroker } from '../session-broker.ts'
import { type ControlBody, readControlBody } from './control-body.ts'
import { sessionDocument } from './control-documents.ts'

const lines = 'application/x-ndjson'

/**
 * Opens a session, and waits for a place when all are taken: silently and as long as `waitMs` says, or, for a client that
 * accepts `application/x-ndjson`, with a line for every step forward in the queue. A client that hangs up leaves the
 * queue, and a session that opened too late for it is closed again.
 */
export async function openSession(
  broker: SessionBroker,
  body: ControlBody,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wanted = readControlBody('open', body)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const steps = request.headers.accept?.includes(lines) ? new StepLines(response) : null
  let position = 0
  const onQueued = (place: number) => {
    position = place
    steps?.write({ status: 'queued', position: place })
  }
  try {
    const session = await broker.open({ ...wanted, signal: gone.signal, onQueued })
    if (response.destroyed) await broker.close(session.handle)
    else announce(session, request, response, steps)
  } catch (thrown) {
    if (steps?.began) steps.end({ status: 'failed', error: problemOf(thrown) })
    else sendProblem(response, thrown, position === 0 ? {} : { position })
  }
}

function announce(session: Session, request: IncomingMessage, response: ServerResponse, steps: StepLines | null): void {
  const document = sessionDocument(session, request)
  if (steps === null) sendJson(response, 201, document)
  else steps.end({ status: 'open', ...document })
}

function problemOf(thrown: unknown): JsonObject {
  return isRlenvError(thrown)
    ? { code: thrown.code, message: thrown.message, fix: thrown.fix ?? null }
    : { code: null, message: messageOf(thrown), fix: null }
}

/** One JSON document per line, as things happen. */
class StepLines {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get began(): boolean {
    return this.#response.headersSent
  }

  write(step: Readonly<Record<string, Json>>): void {
    if (!this.began) this.#response.writeHead(200, { 'content-type': lines })
    this.#response.write(`${JSON.stringify(step)}\n`)
  }

  end(step: Readonly<Record<string, Json>>): void {
    this.write(step)
    this.#response.end()
  }
}
