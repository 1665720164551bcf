import { loadEnvironment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { collectGarbage } from './collect-garbage.ts'
import { type Bench, closeAll, type Instance, median, metric, timed } from './engine-bench.ts'
import { grown } from './grown.ts'
import { type OpenRaw, rawDiff } from './raw-sqlite.ts'
import { opened, playInterleaved } from './replay-step.ts'

/** E13. Must be measured before other instances have left memory to use again. */
export function replayMemoryMetric(bench: Bench): Metric {
  const warm = opened(bench, 'replay', 64)
  playInterleaved(bench, warm)
  closeAll(warm)
  collectGarbage()
  const before = process.memoryUsage()
  const open = opened(bench, 'replay')
  playInterleaved(bench, open)
  collectGarbage()
  const after = process.memoryUsage()
  closeAll(open)
  const grown = Math.max(0, after.heapUsed - before.heapUsed) + Math.max(0, after.external - before.external)
  return metric('E13', 'memory of a played replayed instance', 'KB', grown / 1024 / open.length, null, 20)
}

/** E3 and the second line of E14. */
function openMetrics(bench: Bench): Metric[] {
  const { executable, openRaw, instances, rounds } = bench
  const held: ReturnType<OpenRaw>[] = []
  const bare = timed(
    rounds,
    () => {},
    () => {
      for (let index = 0; index < instances; index++) held.push(openRaw(executable.image.bytes))
    },
    () => closeAll(held.splice(0)),
  )
  const made: Instance[] = []
  // So short that it takes a few rounds until the engine's compiler has seen it.
  const open = timed(
    4 * rounds,
    () => {},
    () => void made.push(...opened(bench, 'replay')),
    () => closeAll(made.splice(0)),
  )
  const dropped = timed(
    rounds,
    () => {
      const played = opened(bench, 'replay')
      playInterleaved(bench, played)
      return played
    },
    closeAll,
  )
  return [
    metric('E3', `open ${instances} replayed instances, against bare deserialisation`, 'ms', open, bare, 0.05),
    metric('E14b', `drop ${instances} played replayed instances`, 'ms', dropped, null, 1),
  ]
}

/** Median milliseconds of processor time, after one round that does not count: a bound in milliseconds must not know its neighbours. */
function processorMs(rounds: number, work: () => void): number {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const started = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(started)
    if (round > 0) times.push((user + system) / 1000)
  }
  return median(times)
}

/** Milliseconds of one diff, and of one full scan of both databases, after plans that also wrote many rows at once. */
function diffMs(bench: Bench, count: number): { readonly ours: number; readonly full: number } {
  const { openRaw, executable, rounds } = bench
  const open = opened(bench, 'replay', count)
  playInterleaved(bench, open)
  for (const instance of open) instance.call('sweep_4', { id: 3 })
  const finals = open.slice(0, 20).map((instance) => openRaw(instance.image()))
  const base = openRaw(executable.image.bytes)
  const full = processorMs(rounds, () => {
    for (const final of finals) rawDiff(base, final, executable.tables)
  })
  const ours = processorMs(4 * rounds, () => {
    for (const instance of open) instance.capture()
  })
  closeAll([...open, ...finals, base])
  return { ours: ours / open.length, full: full / finals.length }
}

/** E10, at two sizes. */
function diffMetrics(bench: Bench): Metric[] {
  return [
    { id: 'E10', rows: 30 },
    { id: 'E10b', rows: 650 },
  ].map(({ id, rows }) => {
    const executable = loadEnvironment(grown(rows))
    const { ours, full } = diffMs({ ...bench, executable }, 100)
    const size = `${Math.round(executable.image.bytes.length / 1024)} KB`
    const what = `diff of a replayed instance against a full scan of both databases, image of ${size}; at most 0.1 ms`
    const line = metric(id, what, 'ms', ours, full, 0.05)
    return { ...line, ok: line.ok && ours <= 0.1 }
  })
}

/** E3, E10, E14. */
export function replayMetrics(bench: Bench): Metric[] {
  return [...openMetrics(bench), ...diffMetrics(bench)]
}
