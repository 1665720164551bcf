import { loadEnvironment } from 'rlenv'
import { compareStrategies, intricateEnvironment, tinyEnvironment } from 'rlenv/testing'
import type { Metric } from '../metric.ts'
import { collectGarbage } from './collect-garbage.ts'
import { metric } from './engine-bench.ts'
import { benchEnvironment, benchPlans } from './fixture.ts'

const queries = ['SELECT count(*) AS n, sum(amount) AS total FROM entity_1', 'SELECT max(id) AS last FROM entity_2']

/** E24: random calls on replay and on clone, an eighth of them on an environment that is as intricate as they come. */
export async function comparisonMetric(calls: number): Promise<Metric> {
  const intricate = Math.round(calls / 8)
  const plain = await compareStrategies({
    environment: benchEnvironment(),
    calls: calls - intricate,
    instances: 64,
    queries,
  })
  const hard = await compareStrategies({ environment: intricateEnvironment(), calls: intricate })
  const what = `differences between replay and clone in ${calls} random calls: observations, diffs, states, forks, resets, queries`
  return metric('E24', what, 'differences', plain.mismatches + hard.mismatches, null, 0)
}

/** Heap and resident memory, in MB, without garbage. */
function settled(): { readonly heap: number; readonly resident: number } {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / 2 ** 20, resident: rss / 2 ** 20 }
}

/** Those that come first fill what may stay loaded, and twice that what the allocator keeps. */
const mostFirst = 640

/** E25c: environments that are seen once each, with a call in each. */
function environmentsMetric(count: number): Metric {
  const see = (from: number, to: number) => {
    for (let seed = from; seed < to; seed++) {
      const instance = loadEnvironment(tinyEnvironment({ seed })).open({ seed })
      instance.call('set_member_tier', { member_id: 1, tier: 'plus' })
      instance.close()
    }
  }
  const first = Math.min(mostFirst, 2 * count)
  see(0, first)
  const before = settled().resident
  see(first, first + count)
  const growth = Math.max(0, settled().resident - before)
  const what = `resident memory that ${count} more environments leave behind after the first ${first}`
  return metric('E25c', what, 'MB', growth, null, 16)
}

/** E25: many instances opened and closed one after the other, every tenth of them with a call, in turns replay and clone. */
export function soakMetrics(count: number): Metric[] {
  const executable = loadEnvironment(benchEnvironment())
  const plans = benchPlans(64)
  const soak = (instances: number) => {
    for (let index = 0; index < instances; index++) {
      const instance = executable.open({ seed: index, strategy: index % 20 === 10 ? 'clone' : 'auto' })
      const call = plans[index % plans.length]?.[0]
      if (index % 10 === 0 && call !== undefined) instance.call(call.tool, call.arguments)
      instance.close()
    }
  }
  soak(Math.ceil(count / 10))
  const before = settled()
  soak(count)
  const after = settled()
  const growth = Math.max(0, after.resident - before.resident)
  const heapGrowth = Math.max(0, after.heap - before.heap)
  return [
    environmentsMetric(Math.ceil(count / 200)),
    metric('E25', `resident memory that ${count} opened and closed instances leave behind`, 'MB', growth, null, 16),
    metric('E25b', `heap that ${count} opened and closed instances leave behind`, 'MB', heapGrowth, null, 2),
  ]
}
