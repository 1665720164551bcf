import type { Metric } from '../metric.ts'
import { type Bench, clones, closeAll, type Instance, metric, played, timed } from './engine-bench.ts'
import { benchData, benchSchema } from './fixture.ts'
import { type OpenRaw, rawDiff } from './raw-sqlite.ts'

function ready(open: readonly Instance[]): void {
  for (const instance of open) instance.call('get_entity_1', { id: 1 })
}

/** E1, E2, E14. */
export function openMetrics(bench: Bench): Metric[] {
  const { executable, openRaw, instances, rounds } = bench
  const raw = () => Array.from({ length: instances }, () => openRaw(executable.image.bytes))
  const held: ReturnType<OpenRaw>[] = []
  const bare = timed(
    rounds,
    () => {},
    () => void held.push(...raw()),
    () => closeAll(held.splice(0)),
  )
  const made: Instance[] = []
  const close = () => closeAll(made.splice(0))
  const lazily = timed(
    rounds,
    () => {},
    () => void made.push(...clones(bench)),
    close,
  )
  const fully = timed(
    rounds,
    () => {},
    () => {
      made.push(...clones(bench))
      ready(made)
    },
    close,
  )
  const dropped = timed(
    rounds,
    () => {
      const open = clones(bench)
      ready(open)
      return open
    },
    closeAll,
  )
  return [
    metric(
      'E1',
      `open ${instances} instances, databases left for their first call, against bare deserialisation`,
      'ms',
      lazily,
      bare,
      1.3,
    ),
    metric(
      'E2',
      `${instances} clones ready: opened, functions frozen, schema parsed, first tool call made`,
      'ms',
      fully,
      bare,
      3.5,
    ),
    metric('E14', `drop ${instances} clones, against bare deserialisation`, 'ms', dropped, bare, 2.5),
  ]
}

/** E11. */
export function diffMetric(bench: Bench): Metric {
  const { executable, openRaw, rounds } = bench
  const open = played(bench, 100)
  const finals = open.map((instance) => openRaw(instance.image()))
  const base = openRaw(executable.image.bytes)
  const full = timed(
    rounds,
    () => {},
    () => {
      for (const final of finals) rawDiff(base, final, executable.tables)
    },
  )
  const ours = timed(
    rounds,
    () => {},
    () => {
      for (const instance of open) instance.capture()
    },
  )
  closeAll([...open, ...finals, base])
  return metric(
    'E11',
    'diff of a played clone against a full scan of both databases',
    'ms',
    ours / open.length,
    full / open.length,
    0.2,
  )
}

/** E12. Must be measured first: memory that was used once is not fresh any more. */
export function memoryMetric(bench: Bench): Metric {
  const imageKb = bench.executable.image.bytes.length / 1024
  const before = process.memoryUsage.rss()
  const open = played(bench, 512)
  const perInstance = (process.memoryUsage.rss() - before) / 1024 / open.length
  closeAll(open)
  const metricOf = metric(
    'E12',
    'resident memory of a played clone; target: its image and 300 KB',
    'KB',
    perInstance,
    null,
    imageKb + 300,
  )
  return { ...metricOf, floor: imageKb, ratio: perInstance / imageKb }
}

/** E15. */
export function sizeMetric({ executable, openRaw }: Bench): Metric {
  const plain = openRaw(':memory:')
  plain.exec(benchSchema)
  plain.exec(benchData)
  const original = plain.serialize().length
  plain.close()
  return metric(
    'E15',
    'normalised image against the same database in 4 KB pages',
    'bytes',
    executable.image.bytes.length,
    original,
    0.7,
  )
}
