import type { Outcome } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory, Trajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'

export interface TrajectoryParts {
  readonly drawId?: string
  readonly rolloutIndex?: number
  readonly taskId?: string
  readonly environmentId?: string
  readonly policyVersion?: number
  /** Actions of its single turn. Default [1, 0]. */
  readonly actions?: readonly number[]
  /** Log-probabilities of the actions, in nats. Default -1 each. */
  readonly logProbs?: readonly number[]
}

/** A finished trajectory of one turn that ended with an answer, for tests of what comes after rollouts. */
export function trajectoryOf(parts: TrajectoryParts = {}): Trajectory {
  const { drawId = 'd0', rolloutIndex = 0, taskId = 'tiny-library/lend', environmentId = 'tiny-library' } = parts
  const { policyVersion = 0, actions = [1, 0], logProbs = actions.map(() => -1) } = parts
  return {
    id: `${drawId}/${rolloutIndex}`,
    drawId,
    rolloutIndex,
    attempt: 1,
    taskId,
    environmentId,
    seed: 1,
    model: 'test',
    policyVersion,
    messages: [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: `Done by ${drawId}/${rolloutIndex}.` },
    ],
    turns: [
      {
        index: 0,
        messageIndex: 1,
        windowStart: 0,
        span: { role: 'act', policyVersion, temperature: 1, actions, logProbs },
        calls: [],
        truncated: false,
      },
    ],
    answer: `Done by ${drawId}/${rolloutIndex}.`,
    stopReason: { kind: 'terminated', by: 'answer' },
    diff: [],
    usage: { promptTokens: 0, completionTokens: actions.length },
  }
}

/** A reward, or the outcome of a member that has none that counts. */
export type MemberSpec = number | Exclude<Outcome['kind'], 'scored'>

function outcomeOf(spec: MemberSpec): Outcome {
  if (typeof spec === 'number') return { kind: 'scored' }
  const fault = { code: 'test_fault', message: 'injected by a test' }
  if (spec === 'environment_fault') return { kind: spec, ...fault, retryable: false }
  return spec === 'cancelled' ? { kind: spec, message: fault.message } : { kind: spec, ...fault }
}

/** A judged member: a number is the reward of a scored one, a word the outcome of one that failed otherwise. */
export function judgedOf(spec: MemberSpec, parts: TrajectoryParts = {}): JudgedTrajectory {
  const scored = typeof spec === 'number'
  const passed = scored && spec > 0
  return {
    trajectory: trajectoryOf(parts),
    outcome: outcomeOf(spec),
    verdict: scored ? { kind: passed ? 'passed' : 'failed', passed, score: passed ? 1 : 0, evidence: [] } : null,
    reward: scored ? spec : spec === 'policy_fault' ? -1 : spec === 'cancelled' ? null : 0,
  }
}

/** A group of one draw, one member per spec. */
export function groupOf(
  specs: readonly MemberSpec[],
  parts: TrajectoryParts & { readonly ordinal?: number } = {},
): TrajectoryGroup {
  const { ordinal = 0, taskId = 'tiny-library/lend', environmentId = 'tiny-library', policyVersion = 0 } = parts
  const drawId = parts.drawId ?? `d${ordinal}`
  return {
    drawId,
    ordinal,
    taskId,
    environmentId,
    policyVersion,
    members: specs.map((spec, rolloutIndex) => judgedOf(spec, { ...parts, drawId, rolloutIndex })),
  }
}
