import type { Message } from '../vocabulary/message.ts'
import { stopReasonName } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

const mostCharacters = 400

/** A judged rollout for people: what was said, called and answered, then what was decided about it. */
export function transcriptText({ trajectory, outcome, verdict, reward }: JudgedTrajectory): string {
  const { id, taskId, messages, stopReason } = trajectory
  const evidence = (verdict?.evidence ?? []).map(({ name, passed, note }) => {
    return `  ${passed ? '✔' : '✖'} ${name}${note === undefined ? '' : `: ${note}`}`
  })
  const why = 'code' in outcome ? ` (${outcome.code}: ${outcome.message})` : ''
  return [
    `── ${id}  ${taskId}`,
    ...messages.flatMap(messageLines),
    `${stopReasonName(stopReason)}, ${outcome.kind}${why}, verdict ${verdict?.kind ?? 'none'}, reward ${reward ?? 'none'}`,
    ...evidence,
  ].join('\n')
}

function messageLines(message: Message): readonly string[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [`user       ${message.content}`]
    case 'tool':
      return [`tool       ${shortened(message.content)}`]
    case 'assistant': {
      const { reasoning_content: reasoning, content, tool_calls: calls = [] } = message
      return [
        ...(reasoning === undefined ? [] : [`thinks     ${reasoning}`]),
        ...(content === null || content === '' ? [] : [`assistant  ${content}`]),
        ...calls.map(({ function: { name, arguments: given } }) => `calls      ${name} ${given}`),
      ]
    }
  }
}

function shortened(text: string): string {
  const rest = text.length - mostCharacters
  return rest <= 0 ? text : `${text.slice(0, mostCharacters)} … and ${rest} characters more`
}
