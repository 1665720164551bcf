import type { EnvironmentServer, EnvironmentServerOptions } from './environment-server.ts'

/**
 * Serves environments on one port until it is closed: MCP at `/mcp/<handle>`, OpenEnv, the control plane at `/control`,
 * `/health`, `/metrics`. Listens on this machine alone unless it has a token.
 *
 * What it is made of is loaded when it is called, so that programs that serve nothing do not pay for it.
 *
 * @throws {RlenvError} RLENV_ADDRESS_UNUSABLE
 */
export async function serveEnvironments(options: EnvironmentServerOptions): Promise<EnvironmentServer> {
  const { EnvironmentServer: Served } = await import('./environment-server.ts')
  return Served.start(options)
}
