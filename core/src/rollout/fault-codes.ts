/** Codes of the faults that the loop and the engine attribute themselves. Worlds and checks add codes of their own. */
export const faultCodes = {
  worldOpenFailed: 'world_open_failed',
  worldOpenTimeout: 'world_open_timeout',
  toolCrashed: 'tool_crashed',
  toolTimeout: 'tool_timeout',
  malformedResult: 'malformed_result',
  modelError: 'model_error',
  malformedReply: 'malformed_reply',
  turnTimeout: 'turn_timeout',
  rolloutTimeout: 'rollout_timeout',
  rolloutStalled: 'rollout_stalled',
  strategyFailed: 'strategy_failed',
  taskDropped: 'task_dropped',
  worldHung: 'world_hung',
  worldCrashed: 'world_crashed',
} as const

const retryable: ReadonlySet<string> = new Set([
  faultCodes.worldOpenFailed,
  faultCodes.worldOpenTimeout,
  faultCodes.toolCrashed,
  faultCodes.toolTimeout,
  faultCodes.modelError,
  faultCodes.turnTimeout,
  faultCodes.rolloutTimeout,
  faultCodes.rolloutStalled,
  faultCodes.worldCrashed,
])

/** Whether trying again can help: infrastructure that failed, and not a world or plugin that answers wrongly each time. */
export function isRetryableFault(code: string): boolean {
  return retryable.has(code)
}
