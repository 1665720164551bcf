import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { ToolSurface } from '../../environment/tools/tool-surface.ts'
import type { Session } from '../session.ts'

/**
 * One session as a server of the MCP SDK, to be connected to any of its transports, in this process for example. Serves
 * one client; its end does not close the session.
 */
export async function openMcpServer(session: Session, surface?: ToolSurface): Promise<Server> {
  const { createMcpServer } = await import('./create-mcp-server.ts')
  return createMcpServer(session, surface)
}
