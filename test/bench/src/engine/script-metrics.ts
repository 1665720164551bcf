import { loadEnvironment, loadSandbox } from 'rlenv'
import type { Metric } from '../metric.ts'
import { median, metric } from './engine-bench.ts'
import { benchEnvironment } from './fixture.ts'

/** Calls that are timed at once. */
const callsPerTurn = 25
const turnsPerRound = 20

/** Median microseconds of each piece of work; they take turns, so that what slows the machine down slows all of them. */
function inTurns(rounds: number, works: readonly (() => void)[]): number[] {
  const times = works.map((): number[] => [])
  for (let turn = 0; turn < (rounds + 1) * turnsPerRound; turn++) {
    works.forEach((work, index) => {
      const started = performance.now()
      for (let call = 0; call < callsPerTurn; call++) work()
      if (turn >= turnsPerRound) times[index]?.push(performance.now() - started)
    })
  }
  return times.map((own) => (median(own) * 1000) / callsPerTurn)
}

/** E19: a script that reads rows, against the same done in this process. */
export async function scriptMetrics(rounds = 5): Promise<Metric[]> {
  await loadSandbox()
  const executable = loadEnvironment(benchEnvironment(true))
  const instance = executable.open({ seed: 0 })
  const rows = executable.base.database.prepare('SELECT * FROM entity_1 WHERE id <= @n ORDER BY id')
  const native = () => {
    const read = rows.all({ n: 20n }) as { readonly id: number; readonly name: string; readonly amount: number }[]
    JSON.stringify(read.filter((row) => row.amount >= 0).map(({ id, name, amount }) => ({ id, name, amount })))
  }
  const scripted = (n: number) => () => void JSON.stringify(instance.call('script_list', { n }).result)
  const [floor = 0, many = 0, one = 0] = inTurns(rounds, [native, scripted(20), scripted(1)])
  instance.close()
  return [
    metric('E19', 'script tool that reads 20 rows against the same in this process', 'µs/call', many, floor, 6),
    metric('E19b', 'script tool that reads one row', 'µs/call', one, null, 30),
  ]
}
