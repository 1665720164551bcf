import type { IncomingMessage, ServerResponse } from 'node:http'
import { rlenvVersion } from '../../artifacts/rlenv-version.ts'
import { isObject } from '../../environment/tools/schema-references.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import { readBody, sendJson, sendText } from '../http-problem.ts'
import type { Access, Route } from '../http-route.ts'
import { stateSchema } from './action-schemas.ts'
import { BoundedWait } from './bounded-wait.ts'
import type { Dialect } from './dialect.ts'
import { type FieldError, missingField, wrongType } from './field-error.ts'
import { parseRpcRequest } from './json-rpc.ts'
import type { McpMethods } from './mcp-methods.ts'
import { openApiDocument } from './openapi-document.ts'
import type { OpenEnvSession } from './openenv-session.ts'
import type { ScenarioCatalog } from './scenario-catalog.ts'
import { type Fault, type FaultCode, isFault, type Reply, replyBody, stateBody } from './server-frame.ts'
import type { SessionTable } from './session-table.ts'

export interface HttpDoorParts {
  /** Path below which everything lies, without a slash at its end. */
  readonly prefix: string
  readonly access: Access
  readonly dialect: Dialect
  readonly catalog: ScenarioCatalog
  readonly table: SessionTable
  readonly methods: McpMethods
  /** Most bytes of a request's body. */
  readonly maxBodyBytes: number
}

/** Longest delay that a timer takes, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1

const statusOf: Partial<Record<FaultCode, number>> = { VALIDATION_ERROR: 422, CAPACITY_REACHED: 503 }

/** OpenEnv over HTTP: what a server says about itself, single requests without memory, and JSON-RPC. */
export class HttpDoor {
  readonly #parts: HttpDoorParts

  constructor(parts: HttpDoorParts) {
    this.#parts = parts
  }

  routes(): readonly Route[] {
    const { prefix, access, dialect, table } = this.#parts
    const document = openApiDocument(dialect, prefix)
    const page = documentPage(document)
    const { schemas } = dialect
    const says = (path: string, answer: () => Json): Route => {
      return {
        method: 'GET',
        path: prefix + path,
        access,
        handle: (_request, response) => sendJson(response, 200, answer()),
      }
    }
    const shows = (path: string): Route => {
      const headers = { 'content-type': 'text/html; charset=utf-8' }
      return {
        method: 'GET',
        path: prefix + path,
        access,
        handle: (_request, response) => sendText(response, 200, page, headers),
      }
    }
    const takes = (path: string, handle: Route['handle']): Route => ({
      method: 'POST',
      path: prefix + path,
      access,
      handle,
    })
    return [
      { ...says('/health', () => ({ status: 'healthy' })), access: 'public' },
      says('/metadata', () => this.#metadata()),
      says('/schema', () => ({ action: schemas.action, observation: schemas.observation, state: stateSchema })),
      says('/state', () => stateBody({ episodeId: null, stepCount: 0 })),
      says('/openapi.json', () => document),
      says('/stats', () => table.stats()),
      shows('/docs'),
      shows('/redoc'),
      takes('/reset', (request, response) => this.#passing(request, response, readResetBody, 'reset')),
      takes('/step', (request, response) => this.#passing(request, response, readStepBody, 'step')),
      takes('/mcp', (request, response) => this.#rpc(request, response)),
    ]
  }

  #metadata(): JsonObject {
    const { dialect, catalog } = this.#parts
    const names = catalog.environments.slice(0, 20).map(({ scenario }) => scenario.name)
    const more = catalog.environments.length - names.length
    return {
      name: dialect.name === 'awm' ? 'agent_world_model_env' : 'rlenv',
      description: `Database-backed environments of tools: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      readme_content: null,
      version: rlenvVersion,
      author: null,
      documentation_url: null,
    }
  }

  /** One request in a session of its own, which ends with the answer. */
  async #passing(
    request: IncomingMessage,
    response: ServerResponse,
    read: BodyReader,
    what: 'reset' | 'step',
  ): Promise<void> {
    const { dialect, table, maxBodyBytes } = this.#parts
    const text = (await readBody(request, maxBodyBytes)).toString()
    if (dialect.httpRefusal !== null) return sendJson(response, 400, dialect.httpRefusal)
    const body = readJson(text, read)
    if (isFieldErrors(body)) return sendFault(response, { code: 'VALIDATION_ERROR', message: 'invalid', errors: body })
    const session = table.open(false)
    if (isFault(session)) return sendFault(response, session)
    try {
      const answer = await asked(session, what, body, gone(response))
      if (isFault(answer)) sendFault(response, answer)
      else sendJson(response, 200, replyBody(answer))
    } finally {
      await table.destroy(session.id)
    }
  }

  async #rpc(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { methods, maxBodyBytes } = this.#parts
    const reading = parseRpcRequest((await readBody(request, maxBodyBytes)).toString())
    if (reading.kind === 'refused') return sendJson(response, 200, reading.response)
    sendJson(response, 200, await methods.answer(reading.request, { own: null, signal: gone(response) }))
  }
}

function asked(
  session: OpenEnvSession,
  what: 'reset' | 'step',
  { data, timeoutMs }: Body,
  gone: AbortSignal,
): Promise<Reply | Fault> {
  const wait = new BoundedWait([gone], timeoutMs ?? longestTimerMs)
  const answer = what === 'reset' ? session.reset(data, wait.signal) : session.step(data, wait.signal)
  return answer.finally(() => wait.end())
}

/** Aborted when the client goes away before it was answered. */
function gone(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client is gone'))
  })
  return controller.signal
}

/** What a request asks for. */
interface Body {
  readonly data: JsonObject
  /** Milliseconds that its caller waits for it; null = as long as the server's own limits allow. */
  readonly timeoutMs: number | null
}

type BodyReader = (body: Json) => Body | readonly FieldError[]

const isFieldErrors = (value: Body | readonly FieldError[]): value is readonly FieldError[] => Array.isArray(value)

function readJson(text: string, read: BodyReader): Body | readonly FieldError[] {
  try {
    return read(text.trim() === '' ? null : (JSON.parse(text) as Json))
  } catch {
    return [{ type: 'json_invalid', loc: ['body'], msg: 'JSON decode error' }]
  }
}

function textField(body: JsonObject, name: string): readonly FieldError[] {
  const { [name]: value = null } = body
  if (value === null) return []
  if (typeof value !== 'string') return [wrongType('string', 'body', name)]
  if (value.length <= 255) return []
  return [{ type: 'string_too_long', loc: ['body', name], msg: 'String should have at most 255 characters' }]
}

function readResetBody(body: Json): Body | readonly FieldError[] {
  const given = body ?? {}
  if (!isObject(given)) return [wrongType('dict', 'body')]
  const { seed = null } = given
  const isSeed = seed === null || (Number.isSafeInteger(seed) && (seed as number) >= 0)
  const errors = [...(isSeed ? [] : [wrongType('int', 'body', 'seed')]), ...textField(given, 'episode_id')]
  return errors.length > 0 ? errors : { data: given, timeoutMs: null }
}

function readStepBody(body: Json): Body | readonly FieldError[] {
  if (!isObject(body ?? undefined)) return [wrongType('dict', 'body')]
  const { action, timeout_s: timeout = null } = body as JsonObject
  const errors = [
    ...(action === undefined ? [missingField('body', 'action')] : []),
    ...(action !== undefined && !isObject(action) ? [wrongType('dict', 'body', 'action')] : []),
    ...(timeout === null || (typeof timeout === 'number' && timeout > 0)
      ? []
      : [wrongType('float', 'body', 'timeout_s')]),
    ...textField(body as JsonObject, 'request_id'),
  ]
  if (errors.length > 0) return errors
  const timeoutMs = typeof timeout === 'number' ? Math.min(Math.ceil(timeout * 1_000), longestTimerMs) : null
  return { data: action as JsonObject, timeoutMs }
}

function sendFault(response: ServerResponse, { code, message, errors }: Fault): void {
  const detail = errors === undefined ? message : errors.map(({ type, loc, msg }) => ({ type, loc, msg }))
  sendJson(response, statusOf[code] ?? 500, { detail })
}

/** The description as a page without scripts. */
function documentPage(document: JsonObject): string {
  const text = JSON.stringify(document, null, 2).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>OpenEnv HTTP API</title><pre>${text}</pre></html>`
}
