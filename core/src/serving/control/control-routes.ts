import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '../../vocabulary/json.ts'
import { HttpProblem, readBody, sendJson } from '../http-problem.ts'
import type { Route, RouteParams } from '../http-route.ts'
import type { Session } from '../session.ts'
import type { SessionBroker } from '../session-broker.ts'
import { type ControlBody, readControlBody } from './control-body.ts'
import { environmentDetails, environmentSummary, sessionDocument, stateDocument } from './control-documents.ts'
import { openSession } from './open-session.ts'

export interface ControlRouteOptions {
  /** Most bytes of the body of one request. */
  readonly maxBodyBytes: number
}

/**
 * The control plane under `/control`: who runs an evaluation opens sessions here, hands an agent the address of its own
 * one, and later looks at the state and asks the verifier. Needs the control token; nothing an agent holds leads here.
 */
export function controlRoutes(broker: SessionBroker, { maxBodyBytes }: ControlRouteOptions): readonly Route[] {
  const access = 'control'
  const bodyOf = async (request: IncomingMessage) => parsed(await readBody(request, maxBodyBytes))
  const at = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
    method,
    path,
    access,
    handle,
  })
  const onSession = (method: Route['method'], verb: string, answer: SessionAnswer) =>
    at(method, `/control/sessions/:handle${verb}`, async (request, response, { path }) => {
      const session = broker.require(path.handle ?? '')
      sendJson(response, 200, await answer(session, await bodyOf(request)))
    })
  return [
    at('GET', '/control/environments', (_request, response) => {
      sendJson(response, 200, { environments: [...broker.environments.values()].map(environmentSummary) })
    }),
    at('GET', '/control/environments/:environment', (_request, response, { path }) => {
      sendJson(response, 200, environmentDetails(served(broker, path)))
    }),
    at('GET', '/control/sessions', (request, response) => {
      const sessions = [...broker.sessions()].map((session) => sessionDocument(session, request))
      sendJson(response, 200, { sessions, counts: { ...broker.counts } })
    }),
    at('POST', '/control/sessions', async (request, response) => {
      await openSession(broker, await bodyOf(request), request, response)
    }),
    at('GET', '/control/sessions/:handle', (request, response, { path }) => {
      sendJson(response, 200, sessionDocument(broker.require(path.handle ?? ''), request))
    }),
    at('DELETE', '/control/sessions/:handle', (request, response, { path }) => close(broker, request, response, path)),
    onSession('POST', '/heartbeat', (session) => {
      session.heartbeat()
      return { expiresAt: expiry(session) }
    }),
    onSession('POST', '/reset', async (session) => {
      await session.reset()
      return { reset: true, expiresAt: expiry(session) }
    }),
    onSession('POST', '/capture', async (session, body) => {
      const { tables = [], maxRows = 1_000 } = readControlBody('capture', body)
      return session.capture((state) => stateDocument(state, tables, maxRows))
    }),
    onSession('POST', '/verify', async (session, body) => {
      const { answer = null } = readControlBody('verify', body)
      return { verdict: (await session.verify(answer)) as unknown as Json }
    }),
  ]
}

type SessionAnswer = (session: Session, body: ControlBody) => Json | Promise<Json>

/** Null for a lease that does not end. */
const expiry = ({ expiresAt }: Session): number | null => (Number.isFinite(expiresAt) ? expiresAt : null)

function served(broker: SessionBroker, { environment: id = '' }: RouteParams['path']) {
  const environment = broker.environments.get(id)
  if (environment === undefined) throw new HttpProblem(`no environment "${id}" is served`, { status: 404 })
  return environment
}

async function close(
  broker: SessionBroker,
  _request: IncomingMessage,
  response: ServerResponse,
  { handle = '' }: RouteParams['path'],
): Promise<void> {
  broker.require(handle)
  await broker.close(handle)
  sendJson(response, 200, { closed: true })
}

/** No body is an empty object. */
function parsed(body: Buffer): ControlBody {
  const text = body.toString('utf8')
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as ControlBody
  } catch (cause) {
    throw new HttpProblem('the body is not JSON', { status: 400, cause })
  }
}
