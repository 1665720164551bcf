import { type Environment, SecretVault } from 'rlenv'
import type { McpEnvironmentOptions } from './environment-options.ts'
import { McpWorld } from './mcp-world.ts'
import { serverTarget } from './server-target.ts'

/**
 * The environment of one MCP server as a value, for programs: its database is empty, its tools are those that the server
 * lists, and only `mcpWorld()` with the same options can carry them out. Starts the server for as long as that takes.
 *
 * @throws {RlenvError} RLENV_SERVER_FAILED, RLENV_TASK_INVALID, RLENV_TOOL_INVALID, RLENV_SECRET_MISSING; the signal's
 *   reason when it aborts.
 */
export async function mcpEnvironment(
  options: McpEnvironmentOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<Environment> {
  const vault = new SecretVault()
  const target = serverTarget(options.server, (reference) => vault.read(reference, 'mcpEnvironment()'))
  const settings = {
    startTimeoutMs: 20_000,
    callTimeoutMs: 25_000,
    maxResultChars: 200_000,
    maxConcurrent: 1,
    prefetch: 0,
    strict: true,
  }
  const world = new McpWorld([{ options, target }], settings, () => undefined)
  try {
    const [environment] = await world.environments(signal)
    return environment as Environment
  } finally {
    await world.close()
  }
}
