import type { IncomingMessage, ServerResponse } from 'node:http'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { ToolSurface } from '../../environment/tools/tool-surface.ts'
import { HttpProblem, readBody, sendText } from '../http-problem.ts'
import type { Route, RouteParams } from '../http-route.ts'
import { type Session, sessionUnknown } from '../session.ts'
import type { SessionBroker } from '../session-broker.ts'
import { assumedVersion, isInitialize, joinAnswers, readMessages } from './mcp-batch.ts'
import { failureText, type McpAnswer, McpDialog } from './mcp-dialog.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpMessage } from './mcp-message.ts'

export interface McpRouteOptions {
  /** Most bytes of a body. */
  readonly maxBodyBytes: number
}

/** An answer that HTTP itself gives: nothing of the dialog was reached. */
class Refusal extends Error {
  readonly status: number
  readonly failure: McpFailure

  constructor(failure: McpFailure, options: ErrorOptions & { readonly status: number }) {
    super(failure.message, options)
    this.status = options.status
    this.failure = failure
  }
}

/**
 * MCP over streamable HTTP at `/mcp/<handle>`, with `?surface=meta` for two tools instead of all. Answers JSON; there is
 * no MCP session and no stream of the server's own, so GET and DELETE are not allowed: the handle is the state.
 *
 * @see MCP 2025-11-25, basic/transports, "Streamable HTTP".
 */
export function mcpRoutes(broker: SessionBroker, options: McpRouteOptions): readonly Route[] {
  const door = new McpDoor(broker, options)
  const path = '/mcp/:handle'
  const refuse = (_request: IncomingMessage, response: ServerResponse) => {
    send(response, 405, failureText(null, new McpFailure('refused', 'Method not allowed.')), { allow: 'POST' })
  }
  return [
    { method: 'POST', path, handle: (request, response, params) => door.post(request, response, params) },
    { method: 'GET', path, handle: refuse },
    { method: 'DELETE', path, handle: refuse },
  ]
}

class McpDoor {
  readonly #broker: SessionBroker
  readonly #maxBodyBytes: number
  readonly #dialogs = new WeakMap<Session, Map<ToolSurface, McpDialog>>()

  constructor(broker: SessionBroker, { maxBodyBytes }: McpRouteOptions) {
    this.#broker = broker
    this.#maxBodyBytes = maxBodyBytes
  }

  async post(request: IncomingMessage, response: ServerResponse, params: RouteParams): Promise<void> {
    try {
      const dialog = this.#dialog(params)
      checkHeaders(request)
      const parsed = parse(await readBody(request, this.#maxBodyBytes))
      const messages = read(parsed, versionOf(request) ?? dialog.version ?? assumedVersion)
      checkVersion(request, messages)
      await converse(dialog, messages, response)
    } catch (thrown) {
      refuse(response, thrown)
    }
  }

  #dialog({ path, query }: RouteParams): McpDialog {
    const handle = path.handle ?? ''
    const session = this.#broker.get(handle)
    if (session === undefined)
      throw new Refusal(new McpFailure('refused', sessionUnknown(handle).message), { status: 404 })
    const surface = surfaceNamed(query.get('surface')) ?? session.surface
    const known = this.#dialogs.get(session)
    const dialog = known?.get(surface) ?? new McpDialog(session, surface)
    if (known === undefined) this.#dialogs.set(session, new Map([[surface, dialog]]))
    else known.set(surface, dialog)
    return dialog
  }
}

function surfaceNamed(name: string | null): ToolSurface | null {
  if (name === null || name === 'direct' || name === 'meta') return name
  throw new Refusal(new McpFailure('refused', `there is no surface "${name}"; choose direct or meta`), { status: 400 })
}

function checkHeaders({ headers }: IncomingMessage): void {
  const { accept = '' } = headers
  if (!(accept.includes('application/json') && accept.includes('text/event-stream'))) {
    const message = 'Not Acceptable: Client must accept both application/json and text/event-stream'
    throw new Refusal(new McpFailure('refused', message), { status: 406 })
  }
  const type = headers['content-type'] ?? ''
  if (type !== 'application/json' && !/^application\/json\s*(;[^,]*)?$/i.test(type)) {
    throw new Refusal(new McpFailure('refused', 'Unsupported Media Type: Content-Type must be application/json'), {
      status: 415,
    })
  }
}

/** The version that a client says it speaks, where it is one that we know. */
function versionOf({ headers }: IncomingMessage): string | null {
  const version = headers['mcp-protocol-version']
  return typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? version : null
}

/** A client that has negotiated a version says so from then on; one that starts over may say anything. */
function checkVersion({ headers }: IncomingMessage, messages: readonly McpMessage[]): void {
  const version = headers['mcp-protocol-version']
  if (version === undefined || messages.some(isInitialize)) return
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  const message = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${supported})`
  throw new Refusal(new McpFailure('refused', message), { status: 400 })
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new Refusal(new McpFailure('parseError', 'Parse error: Invalid JSON'), { status: 400, cause })
  }
}

function read(parsed: unknown, version: string): readonly McpMessage[] {
  try {
    return readMessages(parsed, version)
  } catch (thrown) {
    throw thrown instanceof McpFailure ? new Refusal(thrown, { status: 400, cause: thrown }) : thrown
  }
}

/** Says everything in order, and answers when the last answer is there; with 202 where there is nothing to answer. */
async function converse(dialog: McpDialog, messages: readonly McpMessage[], response: ServerResponse): Promise<void> {
  const answers = messages.map((message) =>
    dialog.answer(message, (leave) => {
      response.once('close', leave)
      return () => response.off('close', leave)
    }),
  )
  const said: McpAnswer[] = []
  for (const answer of answers) said.push(answer instanceof Promise ? await answer : answer)
  const text = joinAnswers(said)
  if (text === null) sendText(response, 202, '', {})
  else send(response, 200, text)
}

function send(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
  sendText(response, status, text, { 'content-type': 'application/json', ...headers })
}

function refuse(response: ServerResponse, thrown: unknown): void {
  if (thrown instanceof Refusal) {
    send(response, thrown.status, failureText(null, thrown.failure))
  } else if (thrown instanceof HttpProblem) {
    const { status, message, headers } = thrown
    send(response, status, failureText(null, new McpFailure('refused', message)), headers)
  } else {
    throw thrown
  }
}
