import type { ToolResult } from '../../vocabulary/tool.ts'
import { failed } from '../tools/tool-failure.ts'

/** Code of a refusal that stands for a crash which only the state that a policy made brings about. */
const crashedOnState = 'crashed_on_changed_state'

/** Whether a tool ended in a way that it did not foresee. */
export function isCrash(result: ToolResult): boolean {
  return !result.ok && result.error.kind === 'environment_fault'
}

/**
 * Whose a crash is. A call with valid arguments that crashes on a fresh image as well is the environment's; one that
 * only crashes on the state that earlier calls have made is the policy's, so that no policy can earn a fault.
 *
 * @param onFresh - the same call on a fresh instance.
 */
export function attributeCrash(tool: string, crash: ToolResult, onFresh: () => ToolResult): ToolResult {
  if (crash.ok || isCrash(answerOf(onFresh, crash))) return crash
  const message = `${tool} could not cope with the state that earlier calls have left: ${crash.error.message}`
  return failed({ kind: 'business_rejection', code: crashedOnState, message })
}

function answerOf(onFresh: () => ToolResult, crash: ToolResult): ToolResult {
  try {
    return onFresh()
  } catch {
    return crash
  }
}
