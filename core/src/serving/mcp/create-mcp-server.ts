import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { JSONRPCRequest, ServerResult } from '@modelcontextprotocol/sdk/types.js'
import type { ToolSurface } from '../../environment/tools/tool-surface.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { Session } from '../session.ts'
import { instructionsOf, serverCapabilities, serverInfo } from './mcp-dialog.ts'
import { McpFailure } from './mcp-failure.ts'
import { callTool, isRecord, listTools } from './mcp-tools.ts'

/**
 * One session as a server of the MCP SDK, to be connected to any of its transports, in this process for example. Serves
 * one client; its end does not close the session.
 */
export function createMcpServer(session: Session, surface: ToolSurface = session.surface): Server {
  const instructions = instructionsOf(session)
  const server = new Server(serverInfo, {
    capabilities: serverCapabilities,
    ...(instructions === undefined ? {} : { instructions }),
  })
  server.fallbackRequestHandler = async (request: JSONRPCRequest, { signal }): Promise<ServerResult> => {
    const { method, params } = request
    if (method === 'tools/call') return callTool(session, surface, params, signal)
    if (method !== 'tools/list') throw new McpFailure('methodNotFound', 'Method not found')
    session.heartbeat()
    return listTools(session, surface, (isRecord(params) ? params : {}) as JsonObject)
  }
  return server
}
