export type { McpEnvironmentOptions, McpTask } from './environment-options.ts'
export { mcpEnvironment } from './mcp-environment.ts'
export { type McpWorldOptions, mcpWorld } from './mcp-world-plugin.ts'
export type { HttpServer, McpServer, ServerTraits, StdioServer, WorldCall } from './server-options.ts'
