import type { AssistantMessage } from '../vocabulary/message.ts'
import type { CallRecord } from '../vocabulary/trajectory.ts'
import { reasoningText } from './reasoning-text.ts'
import type { StepCheck, StepFault } from './step-check.ts'

const policyFault = (code: string, message: string): StepFault => ({ in: 'policy', code, message })

/** AWM check 1: every message reasons, in `reasoning_content` or inside `<think>` tags. */
export function reasoningCheck(): StepCheck {
  return {
    name: 'missing_reasoning',
    message: (message) => {
      if (reasoningText(message).trim() !== '') return undefined
      return policyFault('missing_reasoning', 'the message holds no reasoning')
    },
  }
}

/** AWM check 2: the tool exists. */
export function knownToolCheck(): StepCheck {
  return {
    name: 'unknown_tool',
    call: (record) => faultOnKind(record, 'unknown_tool'),
  }
}

/** AWM check 3: the arguments are JSON and fit the tool's schema. */
export function argumentsCheck(): StepCheck {
  return {
    name: 'invalid_arguments',
    call: (record) => faultOnKind(record, 'invalid_arguments'),
  }
}

function faultOnKind(record: CallRecord, kind: 'unknown_tool' | 'invalid_arguments'): StepFault | undefined {
  if (record.result.ok || record.result.error.kind !== kind) return undefined
  return policyFault(kind, `${record.name}: ${record.result.error.message}`)
}

/** AWM check 4: on the meta surface, `list_tools` is called exactly once, and first. Says nothing on the direct surface. */
export function listToolsFirstCheck(): StepCheck {
  const name = 'list_tools_not_first'
  return {
    name,
    message: (message, { surface, turns }) => {
      if (surface !== 'meta') return undefined
      const before = turns.slice(0, -1).reduce((count, turn) => count + turn.calls.length, 0)
      const wrong = misplacedCall(message, before)
      return wrong === undefined ? undefined : policyFault(name, `call ${wrong.position} is ${wrong.name}`)
    },
    end: ({ surface, turns }) => {
      if (surface !== 'meta' || turns.some((turn) => turn.calls.length > 0)) return undefined
      return policyFault(name, 'the policy answered without calling list_tools')
    },
  }
}

/** The first call of a message that is not where it may be, counted from 1 over the rollout. */
function misplacedCall(message: AssistantMessage, before: number): { position: number; name: string } | undefined {
  const calls = message.tool_calls ?? []
  for (const [index, call] of calls.entries()) {
    const isFirst = before + index === 0
    if (isFirst !== (call.function.name === 'list_tools')) {
      return { position: before + index + 1, name: call.function.name }
    }
  }
  return undefined
}

/** AWM check 5: a rollout of several turns makes at least one successful call beyond `list_tools`. */
export function usefulCallCheck(): StepCheck {
  return {
    name: 'no_useful_call',
    end: ({ turns }) => {
      if (turns.length < 2) return undefined
      const useful = turns.some((turn) => turn.calls.some((call) => call.result.ok && call.name !== 'list_tools'))
      if (useful) return undefined
      return policyFault('no_useful_call', `no call beyond list_tools succeeded in ${turns.length} turns`)
    },
  }
}

/**
 * AWM check 6 and Arena's third rule: the server answers in time. A fault that the world itself reports always ends a
 * rollout; this check also ends it at a timeout, which otherwise is told to the policy.
 */
export function serverCheck(): StepCheck {
  return {
    name: 'tool_timeout',
    call: ({ name, result }) => {
      if (result.ok || result.error.kind !== 'timeout') return undefined
      return { in: 'environment', code: 'tool_timeout', message: `${name}: ${result.error.message}` }
    },
  }
}

/** The six step checks of Agent World Model (arXiv 2602.10090, format and environment errors). */
export function awmStepChecks(): readonly StepCheck[] {
  return [reasoningCheck(), knownToolCheck(), argumentsCheck(), listToolsFirstCheck(), usefulCallCheck(), serverCheck()]
}

/** The step checks of AgileRL's Arena: an invalid tool or wrong arguments end the rollout as the policy's fault. */
export function arenaStepChecks(): readonly StepCheck[] {
  return [knownToolCheck(), argumentsCheck(), serverCheck()]
}
