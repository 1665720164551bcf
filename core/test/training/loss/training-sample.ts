import type { TrainingSample } from '../../../src/vocabulary/training-sample.ts'
import type { Trajectory } from '../../../src/vocabulary/trajectory.ts'

const trajectory: Trajectory = {
  id: 'd0/0',
  drawId: 'd0',
  rolloutIndex: 0,
  attempt: 1,
  taskId: 'shop/t0',
  environmentId: 'shop',
  seed: 1,
  model: 'test',
  policyVersion: 0,
  messages: [],
  turns: [],
  answer: 'done',
  stopReason: { kind: 'terminated', by: 'answer' },
  diff: [],
  usage: { promptTokens: 0, completionTokens: 0 },
}

/** A sample whose arrays are given and whose trajectory is empty. */
export function trainingSample(parts: {
  readonly advantages: readonly number[]
  readonly old: readonly number[]
  readonly mask?: readonly number[]
  readonly weights?: readonly number[]
  /** By the learner's own arithmetic, before the step. */
  readonly learner?: readonly number[]
}): TrainingSample {
  const length = parts.old.length
  return {
    trajectory,
    turns: [],
    role: 'act',
    policyVersion: 0,
    actions: new Int32Array(length),
    mask: Uint8Array.from(parts.mask ?? new Array(length).fill(1)),
    behaviorLogProbs: Float64Array.from(parts.old),
    ...(parts.learner ? { oldLogProbs: Float64Array.from(parts.learner) } : {}),
    advantages: Float64Array.from(parts.advantages),
    weights: Float64Array.from(parts.weights ?? new Array(length).fill(1)),
  }
}
