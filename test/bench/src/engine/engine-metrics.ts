import { loadEnvironment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { callMetrics } from './call-metrics.ts'
import { type Bench, metric, timed } from './engine-bench.ts'
import { benchEnvironment, benchPlans } from './fixture.ts'
import { diffMetric, memoryMetric, openMetrics, sizeMetric } from './instance-metrics.ts'
import { rawOpener } from './raw-sqlite.ts'
import { scriptMetrics } from './script-metrics.ts'

export interface EngineBenchOptions {
  /** Instances that are alive at once. Default 1,024. */
  readonly instances?: number
  /** Measured rounds after one warm-up round; medians are reported. Default 5. */
  readonly rounds?: number
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
export async function engineMetrics({ instances = 1_024, rounds = 5 }: EngineBenchOptions = {}): Promise<Metric[]> {
  const executable = loadEnvironment(benchEnvironment())
  const plans = benchPlans(instances)
  const calls = plans.reduce((sum, plan) => sum + plan.length, 0)
  const bench: Bench = { executable, openRaw: rawOpener(executable), plans, calls, instances, rounds }
  const memory = memoryMetric(bench)
  return [
    ...openMetrics(bench),
    ...callMetrics(bench),
    diffMetric(bench),
    memory,
    sizeMetric(bench),
    ...(await scriptMetrics(bench)),
    vettingMetric(bench),
  ]
}
