import { loadEnvironment, loadSandbox } from 'rlenv'
import type { Metric } from '../metric.ts'
import { type Bench, metric, timed } from './engine-bench.ts'
import { benchEnvironment } from './fixture.ts'

/** E19: a script that reads rows, against the same done in this process. */
export async function scriptMetrics({ rounds }: Bench): Promise<Metric[]> {
  await loadSandbox()
  const executable = loadEnvironment(benchEnvironment(true))
  const repeat = 500
  const instance = executable.open({ seed: 0 })
  const rows = executable.base.database.prepare('SELECT * FROM entity_1 WHERE id <= @n ORDER BY id')
  const native = timed(
    rounds,
    () => {},
    () => {
      for (let i = 0; i < repeat; i++) {
        const read = rows.all({ n: 20n }) as { readonly id: number; readonly name: string; readonly amount: number }[]
        JSON.stringify(read.filter((row) => row.amount >= 0).map(({ id, name, amount }) => ({ id, name, amount })))
      }
    },
  )
  const scripted = (n: number) =>
    timed(
      rounds,
      () => {},
      () => {
        for (let i = 0; i < repeat; i++) JSON.stringify(instance.call('script_list', { n }).result)
      },
    )
  const [many, one] = [scripted(20), scripted(1)]
  instance.close()
  const us = (ms: number) => (ms * 1000) / repeat
  return [
    metric(
      'E19',
      'script tool that reads 20 rows against the same in this process',
      'µs/call',
      us(many),
      us(native),
      6,
    ),
    metric('E19b', 'script tool that reads one row', 'µs/call', us(one), null, 30),
  ]
}
