import type { ExperimentResult } from '../../src/ablation/experiment-result.ts'
import type { EvaluationReport, EvaluationRow, EvaluationSummary } from '../../src/evaluation/evaluation-report.ts'

function summaryOf(rates: Readonly<Record<string, number>>, tasks: number): EvaluationSummary {
  const byEnvironment = Object.entries(rates).map(([name, pass1]): EvaluationRow => {
    return { name, tasks, counted: tasks, pass1, meanReward: null, failed: 0 }
  })
  const mean = byEnvironment.reduce((sum, row) => sum + (row.pass1 ?? 0), 0) / byEnvironment.length
  return {
    temperature: 1,
    rolloutsPerTask: 1,
    tasks: tasks * byEnvironment.length,
    rollouts: tasks * byEnvironment.length,
    counted: tasks * byEnvironment.length,
    pass1: { value: mean, low: null, high: null },
    pass: [],
    meanReward: null,
    errorRate: 0,
    unscoredRate: 0,
    outcomes: {},
    stopReasons: {},
    errors: {},
    byKind: [],
    byEnvironment,
  }
}

function reportOf(rates: Readonly<Record<string, number>>, tasks: number): EvaluationReport {
  return {
    format: 1,
    policy: 'test',
    policyVersion: 1,
    step: 1,
    seed: 1,
    environments: Object.keys(rates).length,
    tasks: tasks * Object.keys(rates).length,
    confidence: 0.95,
    sampled: summaryOf(rates, tasks),
    greedy: null,
  }
}

/** A result whose held-out success is given by environment. */
export function resultOf(
  arm: string,
  replicate: number,
  rates: Readonly<Record<string, number>>,
  parts: Partial<ExperimentResult> = {},
): ExperimentResult {
  return {
    format: 1,
    arm,
    replicate,
    seed: replicate,
    steps: 10,
    rollouts: 1280,
    optimizerSteps: 40,
    heldOut: reportOf(rates, 10),
    training: null,
    curve: [
      { step: 0, rollouts: 0, sampled: 0.1, greedy: null },
      { step: 10, rollouts: 1280, sampled: Object.values(rates)[0] ?? null, greedy: null },
    ],
    measures: {
      flatGenerated: 0.5,
      zeroAdvantage: 0,
      generatedPerUsed: 2,
      reward: -0.2,
      swapRate: null,
      stepTimeGrowth: null,
    },
    ...parts,
  }
}
