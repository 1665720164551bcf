import type { PolicyResponse } from '../hooks/roles.ts'

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => Object(value) as Members

/**
 * What is wrong with the form of a policy's reply, or null. Looks at no more than the loop reads, for it runs at every
 * turn; what stands inside the texts is the model's own, and is answered instead.
 */
export function replyFault(response: PolicyResponse | undefined): string | null {
  const { message, span, usage } = membersOf(response)
  const { role, content = null, reasoning_content: reasoning = null, tool_calls: calls = null } = membersOf(message)
  if (role !== 'assistant') return 'no assistant message'
  if (span === undefined || usage === undefined) return 'a message without span and usage'
  if (content !== null && typeof content !== 'string') return noText('content', content)
  if (reasoning !== null && typeof reasoning !== 'string') return noText('reasoning_content', reasoning)
  if (calls !== null && !Array.isArray(calls)) return `tool_calls that are ${kindOf(calls)} instead of a list`
  return callsFault(calls ?? []) ?? spanFault(membersOf(span)) ?? usageFault(membersOf(usage))
}

function callsFault(calls: readonly unknown[]): string | null {
  for (let index = 0; index < calls.length; index++) {
    const { id, function: called } = membersOf(calls[index])
    const { name, arguments: args } = membersOf(called)
    if (typeof id !== 'string') return noText(`tool call ${index} with id`, id)
    if (typeof name !== 'string') return noText(`tool call ${index} with function.name`, name)
    if (typeof args !== 'string') return noText(`tool call ${index} with function.arguments`, args)
  }
  return null
}

/** Sampled actions and their log-probabilities travel together; nothing can be trained on one without the other. */
function spanFault({ actions, logProbs }: Members): string | null {
  if (!Array.isArray(actions) || !Array.isArray(logProbs)) return 'a span without lists of actions and logProbs'
  if (actions.length !== logProbs.length) {
    return `a span of ${actions.length} actions and ${logProbs.length} log-probabilities`
  }
  const odd = actions.findIndex((action, index) => !Number.isFinite(action) || !Number.isFinite(logProbs[index]))
  return odd < 0 ? null : `action ${odd} of its span as ${actions[odd]} with log-probability ${logProbs[odd]}`
}

function usageFault({ promptTokens, completionTokens }: Members): string | null {
  if (Number.isFinite(promptTokens) && Number.isFinite(completionTokens)) return null
  return `usage of ${promptTokens} prompt and ${completionTokens} completion tokens`
}

const noText = (what: string, value: unknown) => `${what} that is ${kindOf(value)} instead of a text`

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}
