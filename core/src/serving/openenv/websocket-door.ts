import type { WebSocket } from 'ws'
import { messageOf } from '../../errors/rlenv-error.ts'
import type { Access, RouteParams, Upgrade } from '../http-route.ts'
import { type ClientFrame, readClientFrame } from './client-frame.ts'
import { parseRpcRequest, readRpcRequest } from './json-rpc.ts'
import { type McpMethods, rpcFault } from './mcp-methods.ts'
import type { OpenEnvSession } from './openenv-session.ts'
import { errorFrame, type Fault, isFault, mcpFrame, observationFrame, type Reply, stateFrame } from './server-frame.ts'
import type { SessionTable } from './session-table.ts'
import { converse, refuse } from './socket-conversation.ts'

export interface WebSocketDoorParts {
  readonly prefix: string
  readonly access: Access
  readonly table: SessionTable
  readonly methods: McpMethods
}

/** OpenEnv's WebSockets: each speaks for one session, which ends with it. */
export class WebSocketDoor {
  readonly #parts: WebSocketDoorParts

  constructor(parts: WebSocketDoorParts) {
    this.#parts = parts
  }

  upgrades(): readonly Upgrade[] {
    const { prefix, access } = this.#parts
    return [
      { path: `${prefix}/ws`, access, accept: (socket, _request, params) => this.#episodes(socket, params) },
      { path: `${prefix}/mcp`, access, accept: (socket) => this.#rpc(socket) },
    ]
  }

  #episodes(socket: WebSocket, { query }: RouteParams): void {
    const { table } = this.#parts
    const requested = query.get('session_id')
    const isOwner = requested === null || requested === ''
    const session = isOwner ? table.open(true) : table.attach(requested)
    if (isFault(session)) refuse(socket, errorFrame(session))
    else this.#converse(socket, session, isOwner)
  }

  #converse(socket: WebSocket, session: OpenEnvSession, isOwner: boolean): void {
    const { table } = this.#parts
    converse(socket, {
      answer: (text, gone) => this.#answerFrame(session, text, gone),
      ended: () => (isOwner ? table.destroy(session.id) : table.detach(session.id)),
    })
  }

  #rpc(socket: WebSocket): void {
    const { table, methods } = this.#parts
    const session = table.open(true)
    if (isFault(session)) {
      refuse(socket, JSON.stringify(rpcFault(null, session)))
      return
    }
    converse(socket, {
      answer: async (text, gone) => {
        const reading = parseRpcRequest(text ?? '')
        if (reading.kind === 'refused') return JSON.stringify(reading.response)
        return JSON.stringify(await methods.answer(reading.request, { own: session, signal: gone }))
      },
      ended: () => table.destroy(session.id),
    })
  }

  async #answerFrame(session: OpenEnvSession, text: string | null, gone: AbortSignal): Promise<string | null> {
    if (text === null) return errorFrame({ code: 'INVALID_JSON', message: 'Invalid JSON: frames must be text' })
    const frame = readClientFrame(text)
    if (isFault(frame)) return errorFrame(frame)
    try {
      return await this.#answer(session, frame, gone)
    } catch (cause) {
      return errorFrame({ code: 'EXECUTION_ERROR', message: messageOf(cause) })
    }
  }

  async #answer(session: OpenEnvSession, frame: ClientFrame, gone: AbortSignal): Promise<string | null> {
    switch (frame.type) {
      case 'reset':
        return replyFrame(await session.reset(frame.data, gone))
      case 'step':
        return replyFrame(await session.step(frame.data, gone))
      case 'state':
        return stateFrame(session.state)
      case 'mcp': {
        const reading = readRpcRequest(frame.data)
        if (reading.kind === 'refused') return mcpFrame(reading.response)
        return mcpFrame(await this.#parts.methods.answer(reading.request, { own: session, signal: gone }))
      }
      case 'close':
        return null
    }
  }
}

function replyFrame(answer: Reply | Fault): string {
  return isFault(answer) ? errorFrame(answer) : observationFrame(answer)
}
