import type { Metric } from '../metric.ts'
import { type Bench, closeAll, elapsed, type Instance, median, metric } from './engine-bench.ts'
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

/** Milliseconds of several ways to play all plans, medians over the rounds. They take turns, so that noise meets all of them. */
function inTurns(rounds: number, ways: readonly (() => number)[]): number[] {
  const times = ways.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    ways.forEach((way, index) => {
      const ms = way()
      if (round > 0) times[index]?.push(ms)
    })
  }
  return times.map(median)
}

/** The plans' SQL on one connection with prepared statements: no validation, no JSON, no diff. */
function rawWay({ executable, openRaw, plans }: Bench): { readonly way: () => number; close(): void } {
  const database = openRaw(executable.image.bytes)
  const tools = new RawTools(database)
  const way = () => {
    const prepared = plans.map((plan) => plan.map((call) => ({ tool: call.tool, bindings: RawTools.bindings(call) })))
    return elapsed(() => {
      for (const plan of prepared) {
        database.exec('BEGIN')
        for (const { tool, bindings } of plan) tools.run(tool, bindings)
        database.exec('ROLLBACK')
      }
    })
  }
  return { way, close: () => database.close() }
}

function callsWay(bench: Bench): number {
  const open = opened(bench, 'replay')
  const ms = elapsed(() => playInterleaved(bench, open))
  closeAll(open)
  return ms
}

/** Opens all, plays them interleaved, captures each and asks its verifier's queries, drops all. */
function wholeStep(bench: Bench, strategy: Strategy): number {
  return elapsed(() => {
    const open = opened(bench, strategy)
    playInterleaved(bench, open)
    for (const instance of open) {
      const { final } = instance.capture()
      for (const sql of assertions) final.query(sql)
    }
    closeAll(open)
  })
}

/** E6, E8, E9. */
export function stepMetrics(bench: Bench): Metric[] {
  const { plans, calls, rounds } = bench
  const raw = rawWay(bench)
  const ways = [raw.way, () => callsWay(bench), () => wholeStep(bench, 'replay'), () => wholeStep(bench, 'clone')]
  const [floor = 0, interleaved = 0, replayed = 0, cloned = 0] = inTurns(rounds, ways)
  raw.close()
  const us = (ms: number) => (ms * 1000) / calls
  const alike = `${plans.length} replayed instances with strictly interleaved calls, against raw prepared SQL`
  const step = `${plans.length} episodes: open, interleaved calls, diff, three assertions, drop; against their raw SQL`
  return [
    metric('E6', alike, 'µs/call', us(interleaved), us(floor), 3.5),
    metric('E8', `whole step of ${step}, replay`, 'ms', replayed, floor, 4),
    metric('E9', `whole step of ${step}, clone`, 'ms', cloned, floor, 10),
  ]
}
