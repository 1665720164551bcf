import type { AssistantMessage, JsonObject, ToolDefinition } from 'rlenv'
import type { TurnPlan } from '../decisions/turn-plan.ts'
import { isJsonObject } from '../transcript/json-text.ts'
import type { ToolCatalogue } from '../transcript/tool-catalogue.ts'
import { isMetaSurface, metaTools } from '../transcript/transcript-reader.ts'

/** The message that asks for the tools of a meta surface. */
export function listToolsMessage(id: string): AssistantMessage {
  return {
    role: 'assistant',
    content: null,
    reasoning_content: 'The tools are not known yet. Next: list tools.',
    tool_calls: [{ id, type: 'function', function: { name: metaTools.list, arguments: '{}' } }],
  }
}

/** A turn's decisions as an OpenAI chat message. The goal that reasoning names is the intent that was decided on. */
export function planMessage(
  plan: TurnPlan,
  id: string,
  catalogue: ToolCatalogue,
  offered: readonly ToolDefinition[],
): AssistantMessage {
  if (plan.kind === 'finish') {
    return { role: 'assistant', content: plan.answer, reasoning_content: 'Goal: finish. Nothing is left to do.' }
  }
  const phraseOf = (tool: number) => catalogue.tools[tool]?.phrase ?? ''
  const name = catalogue.tools[plan.tool]?.name ?? ''
  return {
    role: 'assistant',
    content: null,
    reasoning_content: `Goal: ${phraseOf(plan.intent)}. Next: ${phraseOf(plan.tool)}.`,
    tool_calls: [{ id, type: 'function', function: wireCall(name, plan.arguments, offered) }],
  }
}

/** Arguments are an object inside and JSON text at the wire; `call_tool` carries them the way its schema says. */
function wireCall(
  name: string,
  args: JsonObject,
  offered: readonly ToolDefinition[],
): { name: string; arguments: string } {
  if (!isMetaSurface(offered)) return { name, arguments: JSON.stringify(args) }
  const wrapped = { tool_name: name, arguments: wantsText(offered) ? JSON.stringify(args) : args }
  return { name: metaTools.call, arguments: JSON.stringify(wrapped) }
}

function wantsText(offered: readonly ToolDefinition[]): boolean {
  const properties = offered.find((tool) => tool.name === metaTools.call)?.inputSchema.properties
  const declared = isJsonObject(properties) ? properties.arguments : undefined
  return isJsonObject(declared) && declared.type === 'string'
}
