import { loadEnvironment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { callMetrics } from './call-metrics.ts'
import { type Bench, metric, timed } from './engine-bench.ts'
import { benchEnvironment, benchPlans } from './fixture.ts'
import { diffMetric, memoryMetric, openMetrics, readyMetrics, sizeMetric } from './instance-metrics.ts'
import { queryMetric } from './query-metrics.ts'
import { rawOpener } from './raw-sqlite.ts'
import { replayMemoryMetric, replayMetrics } from './replay-metrics.ts'
import { comparisonMetric, soakMetrics } from './replay-soundness.ts'
import { stepMetrics } from './replay-step.ts'

export interface EngineBenchOptions {
  /** Instances that are alive at once. Default 1,024. */
  readonly instances?: number
  /** Measured rounds after one warm-up round; medians are reported. Default 5. */
  readonly rounds?: number
  /** Random calls in which replay is compared with clone. Default 100,000. */
  readonly comparedCalls?: number
  /** Instances that are opened and closed one after the other. Default 100,000. */
  readonly soaked?: number
}

function vettingMetric({ executable, rounds }: Bench): Metric {
  let texts = 0
  const perRound = 200
  const ms = timed(
    rounds,
    () => {},
    () => {
      for (let i = 0; i < perRound; i++) {
        texts++
        executable.registry.admit(
          `SELECT c.name, p.name AS parent FROM entity_3 c JOIN entity_1 p ON p.id = c.parent_id WHERE c.amount > ${texts}`,
        )
      }
    },
  )
  return metric('E21', 'vetting of one SQL text', 'ms', ms / perRound, null, 0.3)
}

/** The rows of the engine's target table that one process can show; ratios are against floors measured in the same run. */
export async function engineMetrics(options: EngineBenchOptions = {}): Promise<Metric[]> {
  const { instances = 1_024, rounds = 5, comparedCalls = 100_000, soaked = 100_000 } = options
  const executable = loadEnvironment(benchEnvironment())
  const plans = benchPlans(instances)
  const calls = plans.reduce((sum, plan) => sum + plan.length, 0)
  const bench: Bench = { executable, openRaw: rawOpener(executable), plans, calls, instances, rounds }
  const memory = [memoryMetric(bench), replayMemoryMetric(bench)]
  return [
    ...openMetrics(bench),
    ...readyMetrics(bench),
    ...callMetrics(bench),
    diffMetric(bench),
    ...memory,
    sizeMetric(bench),
    ...replayMetrics(bench),
    ...stepMetrics(bench),
    vettingMetric(bench),
    queryMetric(rounds),
    await comparisonMetric(comparedCalls),
    ...soakMetrics(soaked),
  ]
}
