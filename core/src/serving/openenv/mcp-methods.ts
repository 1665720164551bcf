import { messageOf } from '../../errors/rlenv-error.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import { toolResult } from './generic-dialect.ts'
import { type RpcRequest, type rpcCodes, rpcError, rpcResult } from './json-rpc.ts'
import type { OpenEnvSession } from './openenv-session.ts'
import { type Fault, isFault } from './server-frame.ts'
import type { SessionTable } from './session-table.ts'
import { mcpTools } from './tool-list.ts'

/** Who asks. */
export interface RpcCaller {
  /** The session of the WebSocket that the request came through; null over HTTP. */
  readonly own: OpenEnvSession | null
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
}

/**
 * JSON-RPC as OpenEnv's `/mcp` speaks it: MCP's two methods about tools and two of OpenEnv's own about sessions. It knows
 * the environment's tools and nothing else: neither reset nor verify can be reached through it.
 */
export class McpMethods {
  readonly #table: SessionTable

  constructor(table: SessionTable) {
    this.#table = table
  }

  /** Never rejects: what goes wrong is the response. */
  async answer(request: RpcRequest, caller: RpcCaller): Promise<JsonObject> {
    try {
      switch (request.method) {
        case 'tools/list':
          return await this.#within(request, caller, (session) => listTools(request, session, caller.signal))
        case 'tools/call':
          return await this.#callTool(request, caller)
        case 'openenv/session/create':
          return this.#create(request, caller)
        case 'openenv/session/close':
          return await this.#close(request, caller)
        default:
          return rpcError(request.id, 'methodNotFound', `Method not found: ${request.method.slice(0, 100)}`)
      }
    } catch (cause) {
      return rpcError(request.id, 'internal', messageOf(cause))
    }
  }

  #create({ id }: RpcRequest, { own }: RpcCaller): JsonObject {
    const session = own ?? this.#table.open(false)
    return isFault(session) ? rpcFault(id, session) : rpcResult(id, { session_id: session.id })
  }

  async #close({ id, params }: RpcRequest, { own }: RpcCaller): Promise<JsonObject> {
    const { session_id: sessionId } = params
    if (typeof sessionId !== 'string' || sessionId === '')
      return rpcError(id, 'invalidParams', "Invalid params - 'session_id' is required")
    if (own?.id === sessionId)
      return rpcError(id, 'invalidRequest', 'Cannot close active WebSocket-managed session via MCP method')
    const closing = await this.#table.close(sessionId)
    if (closing === 'unknown') return unknownSession(id, sessionId)
    const isClosed = closing === 'closed'
    return rpcResult(id, { session_id: sessionId, closed: isClosed, ...(isClosed ? {} : { closing: true }) })
  }

  async #callTool(request: RpcRequest, caller: RpcCaller): Promise<JsonObject> {
    const { name, arguments: args = {} } = request.params
    if (typeof name !== 'string' || name === '')
      return rpcError(request.id, 'invalidParams', "Missing 'name' in params")
    return this.#within(request, caller, async (session) => {
      const call = await session.call(name, args, caller.signal)
      if (isFault(call)) return rpcFault(request.id, call)
      if (call.result.ok) return rpcResult(request.id, toolResult(call))
      const { kind, code, message } = call.result.error
      const rpcCode = kind === 'unknown_tool' || kind === 'invalid_arguments' ? 'invalidParams' : 'internal'
      return rpcError(request.id, rpcCode, message, { kind, code })
    })
  }

  /** Works in the caller's session, in the one that is named, or in one of its own that is closed afterwards. */
  async #within(
    { id, params }: RpcRequest,
    { own }: RpcCaller,
    work: (session: OpenEnvSession) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    if (own !== null) return work(own)
    const { session_id: sessionId } = params
    if (typeof sessionId === 'string' && sessionId !== '') {
      const session = this.#table.get(sessionId)
      return session === undefined ? unknownSession(id, sessionId) : work(session)
    }
    const passing = this.#table.open(false)
    if (isFault(passing)) return rpcFault(id, passing)
    try {
      return await work(passing)
    } finally {
      await this.#table.destroy(passing.id)
    }
  }
}

async function listTools({ id }: RpcRequest, session: OpenEnvSession, signal: AbortSignal): Promise<JsonObject> {
  const tools = await session.tools(signal)
  return isFault(tools) ? rpcFault(id, tools) : rpcResult(id, { tools: mcpTools(tools) })
}

function unknownSession(id: RpcRequest['id'], sessionId: string): JsonObject {
  return rpcError(id, 'invalidParams', `Unknown session_id: ${sessionId.slice(0, 100)}`)
}

export function rpcFault(id: RpcRequest['id'], { code, message, capacity }: Fault): JsonObject {
  const rpcCode: keyof typeof rpcCodes = code === 'CAPACITY_REACHED' ? 'server' : 'internal'
  const data = capacity === undefined ? null : { active_sessions: capacity.active, max_sessions: capacity.max }
  return rpcError(id, rpcCode, message, data)
}
