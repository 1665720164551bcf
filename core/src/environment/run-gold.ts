import type { Json } from '../vocabulary/json.ts'
import type { GoldRun, ToolCall } from '../vocabulary/task.ts'
import type { ExecutableEnvironment } from './executable-environment.ts'

/** Carries a reference solution out on a fresh instance, call by call, whatever fails. */
export function runGold(
  executable: ExecutableEnvironment,
  calls: readonly ToolCall[],
  answer: Json,
  seed = 0,
): GoldRun {
  const instance = executable.open({ seed })
  try {
    const done = calls.map((call) => ({ call, ...instance.call(call.tool, call.arguments) }))
    return { calls: done, diff: instance.diff(), answer, succeeded: done.every(({ result }) => result.ok) }
  } finally {
    instance.close()
  }
}
