import type { Environment } from '../vocabulary/environment.ts'
import { type ContaminationReport, contamination } from './contamination.ts'
import type { SourcedScenarios } from './source-scenarios.ts'
import type { EnvironmentDrop, StagePassage, SynthesizedEnvironment } from './synthesize-environment.ts'

/** How often something happened, most often first in lists. */
export interface ReasonCount {
  readonly reason: string
  readonly count: number
  /** One example, in full. */
  readonly example: string
}

/** What became of the environments that entered a stage. */
export interface StageYield {
  readonly stage: string
  readonly entered: number
  readonly passed: number
  /** passed / entered. */
  readonly yield: number
  /** How many results came out of the store. */
  readonly cached: number
  readonly meanAttempts: number
  readonly costUsd: number
  /** Wall-clock milliseconds, summed over environments; 0 for what came out of the store. */
  readonly durationMs: number
  /** Why environments were dropped here. */
  readonly reasons: readonly ReasonCount[]
  /** Why tools and tasks were dropped here, also in environments that went on. */
  readonly droppedItems: readonly ReasonCount[]
}

/** What a run of synthesis made, what it did not, and why. */
export interface SynthesisReport {
  /** Those that came through the gate, in the order of their scenarios. */
  readonly environments: readonly Environment[]
  /** How many the run wanted. */
  readonly wanted: number
  readonly tasks: number
  readonly stages: readonly StageYield[]
  readonly dropped: readonly Omit<EnvironmentDrop, 'cause'>[]
  /** Altered final states and answers that the verifiers of accepted environments were shown. */
  readonly mutants: number
  readonly killed: number
  /** killed / mutants; null without any. */
  readonly verifierKillRate: number | null
  readonly contamination: ContaminationReport
  /** US dollars, scenarios included. What came out of the store counts with what it once cost. */
  readonly costUsd: number
}

export function synthesisReport(
  wanted: number,
  sourced: SourcedScenarios,
  results: readonly SynthesizedEnvironment[],
): SynthesisReport {
  const environments = results.flatMap(({ environment }) => (environment === null ? [] : [environment]))
  const tasks = environments.flatMap((environment) => environment.tasks)
  const stages = stageYields(results)
  const gates = results.flatMap(({ environment, passages }) => {
    const gate = environment === null ? undefined : passages.at(-1)?.record?.gate
    return gate === undefined ? [] : [gate]
  })
  const mutants = sum(gates.map((gate) => gate.mutants))
  const killed = sum(gates.map((gate) => gate.killed))
  return {
    environments,
    wanted,
    tasks: tasks.length,
    stages,
    dropped: results.flatMap(({ drop }) => (drop === null ? [] : [withoutCause(drop)])),
    mutants,
    killed,
    verifierKillRate: mutants === 0 ? null : killed / mutants,
    contamination: contamination(tasks),
    costUsd: sourced.costUsd + sum(stages.map((stage) => stage.costUsd)),
  }
}

function withoutCause({ cause: _cause, ...drop }: EnvironmentDrop): Omit<EnvironmentDrop, 'cause'> {
  return drop
}

function stageYields(results: readonly SynthesizedEnvironment[]): StageYield[] {
  const names = [...new Set(results.flatMap(({ passages }) => passages.map(({ stage }) => stage)))]
  return names.map((name) => {
    const passages = results.flatMap((result) => result.passages.filter(({ stage }) => stage === name))
    const drops = results.flatMap(({ drop }) => (drop?.stage === name ? [drop] : []))
    return stageYield(name, passages, drops)
  })
}

function stageYield(stage: string, passages: readonly StagePassage[], drops: readonly EnvironmentDrop[]): StageYield {
  const passed = passages.filter((passage) => passage.passed).length
  return {
    stage,
    entered: passages.length,
    passed,
    yield: passed / passages.length,
    cached: passages.filter(({ cached }) => cached).length,
    meanAttempts: sum(passages.map(({ attempts }) => attempts)) / passages.length,
    costUsd: sum(passages.map(({ costUsd }) => costUsd)),
    durationMs: sum(passages.map(({ durationMs }) => durationMs)),
    reasons: countReasons(drops),
    droppedItems: countReasons(passages.flatMap(droppedItems)),
  }
}

/** The tools and tasks that did not survive a passage; the message says which. */
export function droppedItems({
  record,
}: StagePassage): readonly { readonly reason: string; readonly message: string }[] {
  return (record?.dropped ?? []).map(({ item, reason, message }) => ({ reason, message: `${item}: ${message}` }))
}

/** Counts by reason, most frequent first. */
export function countReasons(
  items: readonly { readonly reason: string; readonly message: string }[],
): readonly ReasonCount[] {
  const counts = new Map<string, ReasonCount>()
  for (const { reason, message } of items) {
    const known = counts.get(reason)
    counts.set(reason, { reason, count: (known?.count ?? 0) + 1, example: known?.example ?? message })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
