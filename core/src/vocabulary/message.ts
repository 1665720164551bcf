import { z } from 'zod'

/** A tool call as the OpenAI Chat format writes it; `arguments` is JSON text, exactly as the policy wrote it. */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly ChatToolCall[]
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

/** One message of a conversation, OpenAI Chat format. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

const chatToolCallSchema: z.ZodType<ChatToolCall> = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
})

export const messageSchema: z.ZodType<Message> = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    reasoning_content: z.exactOptional(z.string()),
    tool_calls: z.exactOptional(z.array(chatToolCallSchema)),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
])
