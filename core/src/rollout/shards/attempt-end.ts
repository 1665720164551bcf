import type { StopReason } from '../../vocabulary/outcome.ts'
import type { AttemptPlan } from '../attempt-runner.ts'
import { faultCodes } from '../fault-codes.ts'
import type { Hang } from './hang-detector.ts'
import type { LinkEnd } from './shard-link.ts'
import type { Mark } from './shard-marks.ts'

/** How an attempt ended that kept its shard from everything else. */
export function hangStop(plan: AttemptPlan, { mark, limitMs }: Hang, wasEnded: boolean): StopReason {
  const advice = wasEnded ? '' : '; its thread cannot be ended and goes on, so set rollout.mode to "processes"'
  return stop(plan, mark, faultCodes.worldHung, `did not come back within ${limitMs} ms${advice}`)
}

/** How an attempt ended that took its shard with it. */
export function crashStop(plan: AttemptPlan, { mark, why }: LinkEnd): StopReason {
  return stop(plan, mark, faultCodes.worldCrashed, `took the thread or process down that it ran in: ${why}`)
}

function stop(plan: AttemptPlan, mark: Mark | null, code: string, what: string): StopReason {
  const isModel = mark?.section === 'policy'
  return { kind: 'faulted', in: isModel ? 'model' : 'environment', code, message: `${culprit(plan, mark)} ${what}` }
}

function culprit({ environment, task, policy }: AttemptPlan, mark: Mark | null): string {
  switch (mark?.section) {
    case 'open':
      return `the world of ${environment.id}, while it was opened,`
    case 'tool':
      return `tool ${mark.name} of ${environment.id}`
    case 'capture':
      return `the world of ${environment.id}, while its state was read,`
    case 'close':
      return `the world of ${environment.id}, while it was closed,`
    case 'policy':
      return `policy ${policy.name}`
    case 'verifier':
      return `the verifier of ${task.id}`
    case 'shaper':
      return `the reward shaper, on ${task.id},`
    default:
      return `a rollout of ${task.id}`
  }
}
