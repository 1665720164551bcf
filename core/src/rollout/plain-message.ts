import type { AssistantMessage, ChatToolCall } from '../vocabulary/message.ts'

/**
 * A policy's message as a conversation keeps it. Servers add fields of their own, and write null or an empty list for what
 * they leave out; files and other servers would refuse those. The texts stay as they were sampled.
 */
export function plainMessage(message: AssistantMessage): AssistantMessage {
  const { content, reasoning_content: reasoning, tool_calls: calls } = message
  return {
    role: 'assistant',
    content: content ?? null,
    ...(typeof reasoning === 'string' && { reasoning_content: reasoning }),
    ...(calls && calls.length > 0 && { tool_calls: calls.map(plainCall) }),
  }
}

function plainCall({ id, function: { name, arguments: args } }: ChatToolCall): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}
