import type { JsonObject } from '../../vocabulary/json.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'

/** The tools as observations carry them; the official clients take no other keys. */
export function openEnvTools(tools: readonly ToolDefinition[]): readonly JsonObject[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
}

/** The tools as MCP spells them. */
export function mcpTools(tools: readonly ToolDefinition[]): readonly JsonObject[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
}
