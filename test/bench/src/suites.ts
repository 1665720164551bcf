import { engineMetrics } from './engine/engine-metrics.ts'
import { scriptMetrics } from './engine/script-metrics.ts'
import { learnerMetrics } from './learner/learner-metrics.ts'
import { studyMetrics } from './learner/study-metrics.ts'
import type { Metric } from './metric.ts'
import { rolloutMetrics } from './rollout/rollout-metrics.ts'
import { shardMetrics } from './rollout/shard-metrics.ts'
import { servingMetrics } from './serving/serving-metrics.ts'
import { memoryMetrics } from './training/memory-metrics.ts'
import { trainingMetrics } from './training/training-metrics.ts'

/** A part of the benchmark that runs on its own. */
export interface Suite {
  readonly name: string
  /** Which ids its metrics have. */
  readonly ids: RegExp
  /** With `smoke`, sizes that show that it works and not how fast. */
  run(smoke: boolean): Promise<readonly Metric[]>
}

/** In the order in which they run. */
export const suites: readonly Suite[] = [
  {
    name: 'engine',
    ids: /^E(?!16|17|18|19|20|22)\d+/,
    run: (smoke) => engineMetrics(smoke ? { instances: 64, rounds: 1, comparedCalls: 400, soaked: 1_000 } : {}),
  },
  { name: 'scripts', ids: /^E19/, run: (smoke) => scriptMetrics(smoke ? 1 : 5) },
  { name: 'rollouts', ids: /^R\d+/, run: (smoke) => rolloutMetrics({ smoke }) },
  { name: 'shards', ids: /^E(16|17|18|22)/, run: (smoke) => shardMetrics({ smoke }) },
  { name: 'serving', ids: /^E20/, run: (smoke) => servingMetrics({ smoke }) },
  { name: 'training', ids: /^L2[0-2]$/, run: (smoke) => trainingMetrics({ smoke }) },
  { name: 'long run', ids: /^L23$/, run: (smoke) => memoryMetrics({ smoke }) },
  { name: 'learner', ids: /^L[1-8]$/, run: (smoke) => learnerMetrics({ smoke }) },
  { name: 'studies', ids: /^L(9|1\d)$/, run: (smoke) => studyMetrics({ smoke }) },
]
