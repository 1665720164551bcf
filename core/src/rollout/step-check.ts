import type { ToolSurface } from '../environment/tools/tool-surface.ts'
import type { AssistantMessage } from '../vocabulary/message.ts'
import type { CallRecord, Turn } from '../vocabulary/trajectory.ts'

/** What a check found: the rollout ends here, and the fault is that party's. */
export interface StepFault {
  readonly in: 'policy' | 'environment'
  /** snake_case. */
  readonly code: string
  readonly message: string
}

/** What checks see of the rollout so far. */
export interface CheckContext {
  readonly surface: ToolSurface
  /** All turns so far, the one at hand last; its `calls` grow while they are carried out. */
  readonly turns: readonly Turn[]
}

/**
 * A rule of a pipeline about single steps. The loop knows none of them: without checks, every error goes back to the
 * policy as a tool result, and it may recover. A check that returns a fault ends the rollout at that step.
 */
export interface StepCheck {
  /** snake_case; also the code of its faults unless they say otherwise. */
  readonly name: string
  /** Sees a complete message before anything in it is carried out. */
  message?(message: AssistantMessage, context: CheckContext): StepFault | undefined
  /** Sees each call with its result. */
  call?(record: CallRecord, context: CheckContext): StepFault | undefined
  /** Sees the rollout when the policy has given its final answer. */
  end?(context: CheckContext): StepFault | undefined
}
