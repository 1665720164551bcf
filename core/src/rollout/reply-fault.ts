import type { PolicyResponse } from '../hooks/roles.ts'

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => Object(value) as Members

/**
 * What is wrong with the form of a policy's reply, or null. Looks at no more than the loop reads, for it runs at every
 * turn; what stands inside the texts is the model's own, and is answered instead.
 */
export function replyFault(response: PolicyResponse | undefined): string | null {
  const { message, span, usage } = membersOf(response)
  if (membersOf(message).role !== 'assistant') return 'no assistant message'
  if (span === undefined || usage === undefined) return 'a message without span and usage'
  const { content = null, reasoning_content: reasoning = '', tool_calls: calls } = membersOf(message)
  if (content !== null && typeof content !== 'string') return `content that is ${kindOf(content)} instead of a text`
  if (typeof reasoning !== 'string') return `reasoning_content that is ${kindOf(reasoning)} instead of a text`
  if (calls === undefined || calls === null) return null
  return Array.isArray(calls) ? callsFault(calls) : `tool_calls that are ${kindOf(calls)} instead of a list`
}

function callsFault(calls: readonly unknown[]): string | null {
  for (const [index, call] of calls.entries()) {
    const { id, function: called } = membersOf(call)
    const { name, arguments: args } = membersOf(called)
    const odd = Object.entries({ id, 'function.name': name, 'function.arguments': args }).find(
      ([, value]) => typeof value !== 'string',
    )
    if (odd !== undefined) return `tool call ${index} with ${odd[0]} that is ${kindOf(odd[1])} instead of a text`
  }
  return null
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}
