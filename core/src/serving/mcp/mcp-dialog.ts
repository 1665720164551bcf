import {
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { rlenvVersion } from '../../artifacts/rlenv-version.ts'
import type { ToolSurface } from '../../environment/tools/tool-surface.ts'
import { isRlenvError } from '../../errors/rlenv-error.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { Session } from '../session.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpMessage, RequestId } from './mcp-message.ts'
import { callTool, isRecord, listTools } from './mcp-tools.ts'

/** The text of an answer; null when nothing is to be said, as after a cancelled request or a notification. */
export type McpAnswer = string | null

/** Calls `leave` when nobody waits for an answer any more; what it returns ends that. */
export type Departure = (leave: () => void) => () => void

const stays: Departure = () => () => undefined

/** What we say of ourselves. */
export const serverInfo = { name: 'rlenv', title: 'rlenv environment', version: rlenvVersion } as const
export const serverCapabilities = { tools: {} } as const

/** Told to the client's model: the task's words, where the session has a task. */
export function instructionsOf(session: Session): string | undefined {
  return session.task?.instruction
}

/** Texts of results that are sent again and again. */
const texts = new WeakMap<object, string>()

/**
 * What a client says to one session over one surface, and our answers. Knows nothing of the transport: HTTP and stdio
 * speak through it, and it is held equal to the SDK's own server.
 */
export class McpDialog {
  readonly #session: Session
  readonly #surface: ToolSurface
  /** Requests that are not answered yet; several clients of one handle may use one id. */
  readonly #open = new Map<RequestId, Set<AbortController>>()
  #version: string | null = null

  constructor(session: Session, surface: ToolSurface) {
    this.#session = session
    this.#surface = surface
  }

  /** The version of MCP that was agreed on last; null before the first time. */
  get version(): string | null {
    return this.#version
  }

  /** Never rejects. */
  answer(message: McpMessage, onDeparture: Departure = stays): McpAnswer | Promise<McpAnswer> {
    if (message.kind === 'reply') return null
    if (message.kind === 'notification') {
      this.#notice(message)
      return null
    }
    const { id, method, params } = message
    try {
      if (method === 'tools/call') return this.#call(id, params, onDeparture)
      return resultText(id, this.#simple(method, params))
    } catch (thrown) {
      return failureText(id, thrown)
    }
  }

  #simple(method: string, params: unknown): object {
    switch (method) {
      case 'initialize':
        return this.#initialize(params)
      case 'ping':
        this.#session.heartbeat()
        return {}
      case 'tools/list':
        this.#session.heartbeat()
        return listTools(this.#session, this.#surface, (isRecord(params) ? params : {}) as JsonObject)
      default:
        throw new McpFailure('methodNotFound', 'Method not found')
    }
  }

  /** @throws {McpFailure} -32602 when the params do not fit. */
  #initialize(params: unknown): object {
    const said = initialized(this.#session, params)
    this.#version = said.protocolVersion
    return said
  }

  #call(id: RequestId, params: unknown, onDeparture: Departure): McpAnswer | Promise<McpAnswer> {
    const controller = new AbortController()
    const result = callTool(this.#session, this.#surface, params, controller.signal)
    if (!(result instanceof Promise)) return resultText(id, result)
    const stay = onDeparture(() => controller.abort())
    this.#remember(id, controller)
    const said = (text: string): McpAnswer => (controller.signal.aborted ? null : text)
    return result
      .then(
        (settled) => said(resultText(id, settled)),
        (thrown: unknown) => said(failureText(id, thrown)),
      )
      .finally(() => {
        stay()
        this.#forget(id, controller)
      })
  }

  /** A call that was cancelled before it began is not made; one that has begun ends, unheard. */
  #notice({ method, params }: Extract<McpMessage, { kind: 'notification' }>): void {
    if (method !== 'notifications/cancelled' || !isRecord(params)) return
    for (const controller of this.#open.get(params.requestId as RequestId) ?? []) controller.abort()
  }

  #remember(id: RequestId, controller: AbortController): void {
    const known = this.#open.get(id)
    if (known === undefined) this.#open.set(id, new Set([controller]))
    else known.add(controller)
  }

  #forget(id: RequestId, controller: AbortController): void {
    const known = this.#open.get(id)
    known?.delete(controller)
    if (known?.size === 0) this.#open.delete(id)
  }
}

interface Initialized {
  readonly protocolVersion: string
  readonly instructions?: string
}

/** @throws {McpFailure} -32602 when the params do not fit. */
function initialized(session: Session, params: unknown): Initialized {
  const read = InitializeRequestSchema.safeParse({ method: 'initialize', params })
  if (!read.success)
    throw new McpFailure('invalidParams', 'initialize needs protocolVersion, capabilities and clientInfo')
  session.heartbeat()
  const { protocolVersion: wanted } = read.data.params
  const protocolVersion = SUPPORTED_PROTOCOL_VERSIONS.includes(wanted) ? wanted : LATEST_PROTOCOL_VERSION
  const instructions = instructionsOf(session)
  const said = { protocolVersion, capabilities: serverCapabilities, serverInfo }
  return instructions === undefined ? said : { ...said, instructions }
}

function resultText(id: RequestId, result: object): string {
  return `{"result":${textOf(result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}

/** The list of tools is one object for all clients, and written once. */
function textOf(result: object): string {
  if (!('tools' in result)) return JSON.stringify(result)
  const known = texts.get(result)
  if (known !== undefined) return known
  const text = JSON.stringify(result)
  texts.set(result, text)
  return text
}

/** @param id - null when the request cannot be read. */
export function failureText(id: RequestId | null, thrown: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: failureOf(thrown) })
}

function failureOf(thrown: unknown): JsonObject {
  if (thrown instanceof McpFailure) {
    const { code, message, data } = thrown
    return { code, message, ...(data === undefined ? {} : { data }) }
  }
  if (isRlenvError(thrown)) return { code: -32_000, message: thrown.message, data: { code: thrown.code } }
  return { code: -32_603, message: 'Internal error' }
}
