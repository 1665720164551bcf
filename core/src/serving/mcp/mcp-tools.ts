import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import { shownName } from '../../environment/tools/tool-failure.ts'
import type { ToolSurface } from '../../environment/tools/tool-surface.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import { jsonFault } from '../../vocabulary/json-fault.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { Session } from '../session.ts'
import type { SessionCall } from '../session-record.ts'
import { McpFailure } from './mcp-failure.ts'

type McpTool = ListToolsResult['tools'][number]

/** One per list of tools, which the sessions of one environment share. */
const lists = new WeakMap<readonly ToolDefinition[], ListToolsResult>()

function mcpTool({ name, description, inputSchema, readOnly }: ToolDefinition): McpTool {
  return {
    name,
    description,
    // Strict clients refuse an object schema that does not name its properties.
    inputSchema: { properties: {}, ...inputSchema, type: 'object' } as McpTool['inputSchema'],
    annotations: { readOnlyHint: readOnly, openWorldHint: false },
  }
}

/** The answer to `tools/list`, on one page; the same object every time. */
export function listTools(session: Session, surface: ToolSurface, params: JsonObject = {}): ListToolsResult {
  if (params.cursor !== undefined) throw new McpFailure('invalidParams', 'there is only one page of tools')
  const tools = session.tools(surface)
  const known = lists.get(tools)
  if (known !== undefined) return known
  const list = { tools: tools.map(mcpTool) }
  lists.set(tools, list)
  return list
}

/**
 * The answer to `tools/call`. What the tool says no to, and arguments that do not fit its schema, are results with
 * `isError`, so that a model reads them and goes on.
 *
 * @throws {McpFailure} -32602 for a tool that does not exist and for params that are no call, as the specification has it.
 * @see MCP 2025-11-25, server/tools, "Error Handling".
 */
export function callTool(
  session: Session,
  surface: ToolSurface,
  params: unknown,
  signal: AbortSignal,
): CallToolResult | Promise<CallToolResult> {
  const { name, args } = readCall(params)
  const answer = session.call(name, args, { signal, surface })
  return answer instanceof Promise ? answer.then(toolResult) : toolResult(answer)
}

function readCall(params: unknown): { readonly name: string; readonly args: Json } {
  const { name, arguments: args = {} } = isRecord(params) ? params : {}
  if (typeof name !== 'string') throw new McpFailure('invalidParams', 'tools/call needs params with the name of a tool')
  if (!isRecord(args)) throw new McpFailure('invalidParams', 'the arguments of tools/call must be an object')
  const fault = jsonFault(args)
  if (fault !== null) throw new McpFailure('invalidParams', `the JSON of the arguments ${fault}`)
  return { name, args: args as JsonObject }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toolResult({ name, serverName, result, text }: SessionCall): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }]
  if (result.ok) return { content }
  const { kind, code, message, violations } = result.error
  // Behind call_tool an unknown name is the model's to correct, so only a call by that name itself ends here.
  if (kind === 'unknown_tool' && serverName === null && name !== 'call_tool') {
    throw new McpFailure('invalidParams', `Unknown tool: ${shownName(name)}`, { kind, message })
  }
  const error = { kind, code, message, ...(violations === undefined ? {} : { violations }) }
  return { content, structuredContent: { error }, isError: true }
}
