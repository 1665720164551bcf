import { type Environment, loadEnvironment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { type Bench, clones, closeAll, elapsed, type Instance, median, metric, played, timed } from './engine-bench.ts'
import { benchEnvironment } from './fixture.ts'
import { grown } from './grown.ts'
import { type OpenRaw, rawDiff } from './raw-sqlite.ts'

/** Rows per table of an image of some 146 KB. */
const mediumRows = 62

/** Gives each a database of its own. */
function written(open: readonly Instance[]): void {
  for (const instance of open) instance.call('raise_entity_1', { id: 1 })
}

/**
 * E2, at the two sizes below 250 KB of the target table. The floor opens the database as its author has it, in pages of
 * 4 KB; what is stored of it is half as large, and against that the text tells the ratio, beside what SQLite alone takes
 * to parse the schema. An instance opens its own database for what only that can answer, here for the least there is.
 */
export function readyMetrics({ executable, instances, rounds, openRaw }: Bench): Metric[] {
  return [
    { id: 'E2', executable, source: benchEnvironment() },
    { id: 'E2m', executable: loadEnvironment(grown(mediumRows)), source: grown(mediumRows) },
  ].map(({ id, executable, source }) => {
    const original = imageOf(openRaw, source)
    const { bytes } = executable.image
    const parse = () => {
      const database = openRaw(bytes)
      database.prepare('SELECT 1 FROM sqlite_schema').get()
      return database
    }
    const ready = (seed: number) => {
      const instance = executable.open({ seed, strategy: 'clone', sharesReads: false })
      instance.query('SELECT 1 AS one')
      return instance
    }
    const ways = [() => openRaw(original), () => openRaw(bytes), parse, ready]
    const [bare = 0, stored = 0, parsed = 0, ours = 0] = openedInTurns(instances, rounds, ways)
    const against = (ms: number) => (ms / stored).toFixed(2)
    const what = `${instances} clones of ${kib(original)} ready: opened, functions frozen, growth bounded, schema parsed; against opening the ${kib(bytes)} stored of it ${against(ours)}, of which opening and parsing alone are ${against(parsed)}`
    return metric(id, what, 'ms', ours, bare, 3.5)
  })
}

const kib = (bytes: Buffer): string => `${Math.round(bytes.length / 1024)} KB`

/** An environment's database as SQLite makes it. */
function imageOf(openRaw: OpenRaw, { database }: Environment): Buffer {
  const plain = openRaw(':memory:')
  plain.exec(database.schema)
  plain.exec(database.data)
  const image = plain.serialize()
  plain.close()
  return image
}

/** So few are opened at a time that what disturbs the machine disturbs all ways alike. */
const turn = 32

/** Milliseconds, the median of several rounds, of opening so many in each way, all alive, the ways in turns. */
function openedInTurns(
  instances: number,
  rounds: number,
  ways: readonly ((seed: number) => { close(): void })[],
): readonly number[] {
  const times: (readonly number[])[] = []
  for (let round = 0; round <= rounds; round++) {
    const held: { close(): void }[] = []
    const taken = ways.map(() => 0)
    for (let first = 0; first < instances; first += turn)
      ways.forEach((open, way) => {
        const until = Math.min(instances, first + turn)
        taken[way] =
          (taken[way] as number) +
          elapsed(() => {
            for (let seed = first; seed < until; seed++) held.push(open(seed))
          })
      })
    closeAll(held)
    if (round > 0) times.push(taken)
  }
  return ways.map((_, way) => median(times.map((taken) => taken[way] as number)))
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
      written(open)
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
  const original = imageOf(openRaw, benchEnvironment()).length
  return metric(
    'E15',
    'normalised image against the same database in 4 KB pages',
    'bytes',
    executable.image.bytes.length,
    original,
    0.7,
  )
}
