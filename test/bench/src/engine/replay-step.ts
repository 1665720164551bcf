import type { Metric } from '../metric.ts'
import { type Bench, closeAll, type Instance, metric, timed } from './engine-bench.ts'
import { RawTools } from './raw-sqlite.ts'

/** What a verifier would ask of the final state. */
const assertions = [
  "SELECT count(*) AS n FROM entity_1 WHERE status = 'done'",
  'SELECT sum(amount) AS total FROM entity_3',
  'SELECT max(id) AS last FROM entity_5',
] as const

type Strategy = 'replay' | 'clone'

export function opened({ executable, plans }: Bench, strategy: Strategy, count = plans.length): Instance[] {
  return Array.from({ length: count }, (_, seed) => executable.open({ seed, strategy }))
}

/** Every instance makes its n-th call before any makes its next one: the hardest order for what is shared. */
export function playInterleaved({ plans }: Bench, open: readonly Instance[]): void {
  const longest = Math.max(...plans.slice(0, open.length).map((plan) => plan.length))
  for (let turn = 0; turn < longest; turn++) {
    open.forEach((instance, index) => {
      const call = plans[index]?.[turn]
      if (call !== undefined) JSON.stringify(instance.call(call.tool, call.arguments).result)
    })
  }
}

/** Milliseconds of the plans' SQL on one connection with prepared statements: no validation, no JSON, no diff. */
function rawMs({ executable, openRaw, plans, rounds }: Bench): number {
  const prepared = plans.map((plan) => plan.map((call) => ({ tool: call.tool, bindings: RawTools.bindings(call) })))
  return timed(
    rounds,
    () => {
      const database = openRaw(executable.image.bytes)
      return { database, tools: new RawTools(database) }
    },
    ({ database, tools }) => {
      for (const plan of prepared) {
        database.exec('BEGIN')
        for (const { tool, bindings } of plan) tools.run(tool, bindings)
        database.exec('ROLLBACK')
      }
    },
    ({ database }) => database.close(),
  )
}

/** Opens all, plays them interleaved, captures each and asks its verifier's queries, drops all. */
function wholeStepMs(bench: Bench, strategy: Strategy): number {
  return timed(
    bench.rounds,
    () => {},
    () => {
      const open = opened(bench, strategy)
      playInterleaved(bench, open)
      for (const instance of open) {
        const { final } = instance.capture()
        for (const sql of assertions) final.query(sql)
      }
      closeAll(open)
    },
  )
}

/** E6, E8, E9. */
export function stepMetrics(bench: Bench): Metric[] {
  const { plans, calls } = bench
  const raw = rawMs(bench)
  const interleaved = timed(
    bench.rounds,
    () => opened(bench, 'replay'),
    (open) => playInterleaved(bench, open),
    closeAll,
  )
  const step = `${plans.length} episodes: open, interleaved calls, diff and three assertions each, drop; against their raw SQL`
  const us = (ms: number) => (ms * 1000) / calls
  return [
    metric(
      'E6',
      `${plans.length} replayed instances with strictly interleaved calls, against raw prepared SQL`,
      'µs/call',
      us(interleaved),
      us(raw),
      3.5,
    ),
    metric('E8', `whole step of ${step}, replay`, 'ms', wholeStepMs(bench, 'replay'), raw, 4),
    metric('E9', `whole step of ${step}, clone`, 'ms', wholeStepMs(bench, 'clone'), raw, 10),
  ]
}
