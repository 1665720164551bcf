import type { RandomStream } from '../determinism/random-stream.ts'
import { stopReasonName } from '../vocabulary/outcome.ts'
import type { Task } from '../vocabulary/task.ts'
import { isCounted, type JudgedTrajectory, type Trajectory } from '../vocabulary/trajectory.ts'
import { type Cluster, clusterInterval } from './cluster-bootstrap.ts'
import type { EvaluationRow, EvaluationSummary, PassEstimates } from './evaluation-report.ts'
import { passAtK, passHatK } from './pass-at-k.ts'

/** How a rollout ended: all that an evaluation keeps of it. */
export interface RolloutEnding extends Pick<JudgedTrajectory, 'outcome' | 'verdict' | 'reward'> {
  readonly trajectory: Pick<Trajectory, 'stopReason'>
}

/** All rollouts of one task. */
export interface TaskRollouts {
  readonly task: Task
  readonly rollouts: readonly RolloutEnding[]
}

export interface SummaryOptions {
  readonly temperature: number
  readonly rolloutsPerTask: number
  /** Coverage of the interval, 0 to 1. */
  readonly confidence: number
  /** For the bootstrap. */
  readonly random: RandomStream
}

interface TaskScore {
  readonly task: Task
  readonly counted: number
  readonly passed: number
  readonly rewards: readonly number[]
  readonly failed: number
}

/** Success, rewards, faults and breakdowns of one way of sampling. Cancelled rollouts never ended and are left out. */
export function summarizeRollouts(tasks: readonly TaskRollouts[], options: SummaryOptions): EvaluationSummary {
  const scores = tasks.map(scoreTask)
  const ended = tasks.flatMap(({ rollouts }) => rollouts).filter(({ outcome }) => outcome.kind !== 'cancelled')
  const overall = row('all', scores)
  const byEnvironment = rowsBy(scores, ({ environmentId }) => environmentId)
  const interval = clusterInterval(byEnvironment.map(clusterOf), options)
  const share = (kind: string) => ratio(ended.filter(({ outcome }) => outcome.kind === kind).length, ended.length)
  return {
    temperature: options.temperature,
    rolloutsPerTask: options.rolloutsPerTask,
    tasks: tasks.length,
    rollouts: ended.length,
    counted: overall.counted,
    pass1: { value: overall.pass1, low: interval?.low ?? null, high: interval?.high ?? null },
    pass: attempts(options.rolloutsPerTask).map((k) => passEstimates(scores, k)),
    meanReward: overall.meanReward,
    errorRate: share('environment_fault'),
    unscoredRate: share('unscored'),
    outcomes: histogram(ended.map(({ outcome }) => outcome.kind)),
    stopReasons: histogram(ended.map(({ trajectory }) => stopReasonName(trajectory.stopReason))),
    errors: histogram(ended.flatMap(({ outcome }) => ('code' in outcome ? [`${outcome.kind}/${outcome.code}`] : []))),
    byKind: rowsBy(scores, ({ kind }) => kind),
    byEnvironment,
  }
}

/** A breakdown's line as a cluster of the bootstrap. */
export function clusterOf({ pass1, tasks }: EvaluationRow): Cluster {
  return { sum: (pass1 ?? 0) * tasks, count: tasks }
}

function scoreTask({ task, rollouts }: TaskRollouts): TaskScore {
  const counted = rollouts.filter(isCounted)
  return {
    task,
    counted: counted.length,
    passed: counted.filter(({ verdict }) => verdict?.passed === true).length,
    rewards: counted.map(({ reward }) => reward),
    failed: rollouts.filter(({ outcome }) => outcome.kind === 'environment_fault' || outcome.kind === 'unscored')
      .length,
  }
}

function row(name: string, scores: readonly TaskScore[]): EvaluationRow {
  const able = scores.filter(({ counted }) => counted > 0)
  return {
    name,
    tasks: able.length,
    counted: total(able.map(({ counted }) => counted)),
    pass1: mean(able.map(({ passed, counted }) => passed / counted)),
    meanReward: mean(able.flatMap(({ rewards }) => rewards)),
    failed: total(scores.map(({ failed }) => failed)),
  }
}

function rowsBy(scores: readonly TaskScore[], keyOf: (task: Task) => string): EvaluationRow[] {
  const grouped = new Map<string, TaskScore[]>()
  for (const score of scores) {
    const key = keyOf(score.task)
    grouped.set(key, [...(grouped.get(key) ?? []), score])
  }
  return [...grouped].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => row(name, members))
}

/** 1, 2, 4, … and the number of rollouts itself. */
function attempts(rolloutsPerTask: number): number[] {
  const powers = [1]
  while ((powers.at(-1) ?? 0) * 2 < rolloutsPerTask) powers.push((powers.at(-1) ?? 0) * 2)
  return rolloutsPerTask > 1 ? [...powers, rolloutsPerTask] : powers
}

function passEstimates(scores: readonly TaskScore[], k: number): PassEstimates {
  const able = scores.filter(({ counted }) => counted >= k)
  return {
    k,
    tasks: able.length,
    passAtK: mean(able.map(({ counted, passed }) => passAtK(counted, passed, k) ?? 0)),
    passHatK: mean(able.map(({ counted, passed }) => passHatK(counted, passed, k) ?? 0)),
  }
}

function histogram(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const mean = (values: readonly number[]) => (values.length === 0 ? null : total(values) / values.length)
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
