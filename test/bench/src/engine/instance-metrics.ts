import { loadEnvironment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { type Bench, clones, closeAll, type Instance, metric, played, timed } from './engine-bench.ts'
import { benchData, benchSchema } from './fixture.ts'
import { grown } from './grown.ts'
import { type OpenRaw, rawDiff } from './raw-sqlite.ts'

/** Rows per table of an image of some 146 KB. */
const mediumRows = 62

function ready(open: readonly Instance[]): void {
  for (const instance of open) instance.call('get_entity_1', { id: 1 })
}

/** E2, at the two sizes below 250 KB of the target table, with what SQLite takes for parsing the schema, which no one can save. */
export function readyMetrics(bench: Bench): Metric[] {
  return [
    { id: 'E2', executable: bench.executable },
    { id: 'E2m', executable: loadEnvironment(grown(mediumRows)) },
  ].map(({ id, executable }) => {
    const { bytes } = executable.image
    const bare = openedMs(bench, () => bench.openRaw(bytes))
    const parsed = openedMs(bench, () => {
      const database = bench.openRaw(bytes)
      database.prepare('SELECT 1 FROM sqlite_schema').get()
      return database
    })
    const ready = openedMs(bench, (seed) => {
      const instance = executable.open({ seed, strategy: 'clone' })
      instance.call('get_entity_1', { id: 1 })
      return instance
    })
    const size = `${Math.round(bytes.length / 1024)} KB`
    const what = `${bench.instances} clones of ${size} ready: opened, functions frozen, schema parsed, first tool call made; schema parsed alone has the ratio ${(parsed / bare).toFixed(2)}`
    return metric(id, what, 'ms', ready, bare, 3.5)
  })
}

/** Milliseconds of opening one after the other with all alive. */
function openedMs({ instances, rounds }: Bench, open: (seed: number) => { close(): void }): number {
  const held: { close(): void }[] = []
  return timed(
    rounds,
    () => {},
    () => {
      for (let seed = 0; seed < instances; seed++) held.push(open(seed))
    },
    () => closeAll(held.splice(0)),
  )
}

/** E1, E14. */
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
