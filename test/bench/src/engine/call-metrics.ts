import { routeCall } from 'rlenv'
import type { Metric } from '../metric.ts'
import { type Bench, clones, closeAll, type Instance, metric, timed } from './engine-bench.ts'
import { RawTools } from './raw-sqlite.ts'

const { signal } = new AbortController()

/** Microseconds per call of the plans' SQL on one hot connection, cached statements, no JSON. */
function rawCallUs({ executable, openRaw, plans, calls, rounds }: Bench): number {
  const prepared = plans.map((plan) => plan.map((call) => ({ tool: call.tool, bindings: RawTools.bindings(call) })))
  const ms = timed(
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
  return (ms * 1000) / calls
}

/** E4, E5, E7. */
export function callMetrics(bench: Bench): Metric[] {
  const { executable, plans, calls, rounds } = bench
  const floor = rawCallUs(bench)
  const texts = plans.map((plan) =>
    plan.map(({ tool, arguments: args }) => JSON.stringify({ tool_name: tool, arguments: args })),
  )
  const perCall = (work: (instance: Instance, index: number) => void) => {
    const instances = () => plans.map((_, seed) => executable.open({ seed }))
    return (
      (timed(rounds, instances, (open) =>
        open.forEach((instance, index) => {
          work(instance, index)
          instance.close()
        }),
      ) *
        1000) /
      calls
    )
  }
  const fromText = perCall((instance, index) => {
    for (const text of texts[index] ?? []) {
      const routed = routeCall(instance, 'meta', 'call_tool', JSON.parse(text), signal)
      if (!(routed instanceof Promise)) JSON.stringify(routed.outcome.result)
    }
  })
  const direct = perCall((instance, index) => {
    for (const { tool, arguments: args } of plans[index] ?? []) JSON.stringify(instance.call(tool, args).result)
  })
  return [
    metric(
      'E4',
      'call_tool from JSON text to JSON text, with validation and row diff, hot connection, against raw prepared SQL',
      'µs/call',
      fromText,
      floor,
      2,
    ),
    metric(
      'E5',
      'direct call with validation, row diff and JSON text, hot connection, against raw prepared SQL',
      'µs/call',
      direct,
      floor,
      1 / 0.65,
    ),
    metric(
      'E7',
      `${plans.length} clones with strictly interleaved calls, against raw prepared SQL`,
      'µs/call',
      interleaved(bench),
      floor,
      7,
    ),
  ]
}

function interleaved(bench: Bench): number {
  const { plans, calls, rounds } = bench
  const longest = Math.max(...plans.map((plan) => plan.length))
  const play = (open: readonly Instance[]) => {
    for (let turn = 0; turn < longest; turn++) {
      open.forEach((instance, index) => {
        const call = plans[index]?.[turn]
        if (call !== undefined) JSON.stringify(instance.call(call.tool, call.arguments).result)
      })
    }
  }
  return (timed(rounds, () => clones(bench), play, closeAll) * 1000) / calls
}
