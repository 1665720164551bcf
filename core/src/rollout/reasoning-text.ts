import type { AssistantMessage } from '../vocabulary/message.ts'

const block = /<think>([\s\S]*?)(?:<\/think>|$)/g

/** What a message thinks: its `reasoning_content`, and whatever its content holds inside `<think>` tags. */
export function reasoningText(message: AssistantMessage): string {
  const inContent = [...(message.content ?? '').matchAll(block)].map((match) => match[1] ?? '')
  return [message.reasoning_content ?? '', ...inContent].join('\n')
}

/** What a message says: its content without thinking; an unclosed `<think>` hides the rest. */
export function answerText(message: AssistantMessage): string {
  const content = message.content ?? ''
  return content.includes('<think>') ? content.replace(block, '').trim() : content
}
