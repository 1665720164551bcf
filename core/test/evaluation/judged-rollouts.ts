import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Outcome, StopReason } from '../../src/vocabulary/outcome.ts'
import type { Task } from '../../src/vocabulary/task.ts'
import type { JudgedTrajectory } from '../../src/vocabulary/trajectory.ts'

export function evaluationTask(environmentId: string, name: string, kind = 'status'): Task {
  return {
    id: `${environmentId}/${name}`,
    environmentId,
    instruction: 'do it',
    kind,
    difficulty: 0.5,
    gold: { calls: [], answer: null },
    guidelines: [],
  }
}

const outcomes: Readonly<Record<string, Outcome>> = {
  passed: { kind: 'scored' },
  failed: { kind: 'scored' },
  partial: { kind: 'scored' },
  policy: { kind: 'policy_fault', code: 'unknown_tool', message: 'no such tool' },
  fault: { kind: 'environment_fault', code: 'tool_timeout', message: 'late', retryable: true },
  unscored: { kind: 'unscored', code: 'judge_silent', message: 'nothing said' },
  cancelled: { kind: 'cancelled', message: 'interrupted' },
}

export type Ending = 'passed' | 'failed' | 'partial' | 'policy' | 'fault' | 'unscored' | 'cancelled'

const stops: Readonly<Partial<Record<Ending, StopReason>>> = {
  policy: { kind: 'faulted', in: 'policy', code: 'unknown_tool', message: 'no such tool' },
  fault: { kind: 'faulted', in: 'environment', code: 'tool_timeout', message: 'late' },
  cancelled: { kind: 'cancelled', message: 'interrupted' },
}

/** A judged rollout of a task that ended as told; `reward` overrides what the ternary rule would give. */
export function judgedRollout(task: Task, ending: Ending, index = 0, reward?: number): JudgedTrajectory {
  const scored = ending === 'passed' || ending === 'failed' || ending === 'partial'
  const ternary = ending === 'passed' ? 1 : ending === 'fault' || ending === 'unscored' ? 0 : -1
  return {
    trajectory: {
      id: `d0/${index}`,
      drawId: 'd0',
      rolloutIndex: index,
      attempt: 1,
      taskId: task.id,
      environmentId: task.environmentId,
      seed: 1,
      model: 'scripted',
      policyVersion: 0,
      messages: [],
      turns: [],
      answer: null,
      stopReason: stops[ending] ?? { kind: 'terminated', by: 'answer' },
      diff: [],
      usage: { promptTokens: 0, completionTokens: 0 },
    },
    outcome: outcomes[ending]!,
    verdict: scored ? { kind: ending, passed: ending === 'passed', score: 0, evidence: [] } : null,
    reward: ending === 'cancelled' ? null : (reward ?? ternary),
  }
}

/** An environment of which only the id matters. */
export function namedEnvironment(id: string): Environment {
  return {
    id,
    scenario: { id, name: id, description: id, taxonomy: [], annotations: {} },
    seed: 0,
    database: { schema: '', data: '', clock: '2025-01-01T00:00:00.000Z', annotations: {} },
    tools: [],
    tasks: [],
    verifiers: {},
    scripts: {},
    files: {},
    provenance: [],
  }
}
