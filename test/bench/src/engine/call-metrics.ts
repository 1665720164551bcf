import { routeCall, type ToolCall } from 'rlenv'
import type { Metric } from '../metric.ts'
import { type Bench, clones, closeAll, elapsed, type Instance, median, metric } from './engine-bench.ts'
import { RawTools } from './raw-sqlite.ts'

const { signal } = new AbortController()

/** Plans that are played before it is the next way's turn. */
const plansPerSlice = 64

type Plan = Bench['plans'][number]

/** Plays some plans and returns the milliseconds that it took. */
type Way = (slice: readonly Plan[], first: number) => number

/**
 * Microseconds per call of several ways to play the plans, medians over the rounds. They take turns after every few
 * plans, so that what slows the machine down for a while slows all of them.
 */
function inTurns({ plans, calls, rounds }: Bench, ways: readonly Way[]): number[] {
  const sums = ways.map(() => 0)
  for (let first = 0; first < plans.length; first += plansPerSlice) {
    const slice = plans.slice(first, first + plansPerSlice)
    const times = ways.map((): number[] => [])
    for (let round = 0; round <= rounds; round++) {
      ways.forEach((way, index) => {
        const ms = way(slice, first)
        if (round > 0) times[index]?.push(ms)
      })
    }
    times.forEach((own, index) => {
      sums[index] = (sums[index] ?? 0) + median(own)
    })
  }
  return sums.map((ms) => (ms * 1000) / calls)
}

/** The plans' SQL on one hot connection, cached statements, no JSON. */
function rawWay({ executable, openRaw }: Bench): { readonly way: Way; close(): void } {
  const database = openRaw(executable.image.bytes)
  const tools = new RawTools(database)
  const way: Way = (slice) => {
    const prepared = slice.map((plan) => plan.map((call) => ({ tool: call.tool, bindings: RawTools.bindings(call) })))
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

/** One fresh instance a plan, on a hot connection. */
function instanceWay<Input>(
  { executable }: Bench,
  prepare: (plan: Plan) => readonly Input[],
  call: (instance: Instance, input: Input) => void,
): Way {
  return (slice, first) => {
    const inputs = slice.map(prepare)
    const open = slice.map((_, index) => executable.open({ seed: first + index }))
    return elapsed(() => {
      open.forEach((instance, index) => {
        for (const input of inputs[index] ?? []) call(instance, input)
        instance.close()
      })
    })
  }
}

const textOf = ({ tool, arguments: args }: ToolCall): string => JSON.stringify({ tool_name: tool, arguments: args })

function callFromText(instance: Instance, text: string): void {
  const routed = routeCall(instance, 'meta', 'call_tool', JSON.parse(text), signal)
  if (!(routed instanceof Promise)) JSON.stringify(routed.outcome.result)
}

function callDirectly(instance: Instance, { tool, arguments: args }: ToolCall): void {
  JSON.stringify(instance.call(tool, args).result)
}

/** E4, E5, E7. */
export function callMetrics(bench: Bench): Metric[] {
  const raw = rawWay(bench)
  const fromText = instanceWay(bench, (plan) => plan.map(textOf), callFromText)
  const direct = instanceWay(bench, (plan) => plan, callDirectly)
  const [floor = 0, text = 0, object = 0] = inTurns(bench, [raw.way, fromText, direct])
  const clone = interleaved(bench, raw.way)
  raw.close()
  return [
    metric(
      'E4',
      'call_tool from JSON text to JSON text, with validation and row diff, hot connection, against raw prepared SQL',
      'µs/call',
      text,
      floor,
      2,
    ),
    metric(
      'E5',
      'direct call with validation, row diff and JSON text, hot connection, against raw prepared SQL',
      'µs/call',
      object,
      floor,
      1 / 0.65,
    ),
    metric(
      'E7',
      `${bench.plans.length} clones with strictly interleaved calls, against raw prepared SQL`,
      'µs/call',
      clone.us,
      clone.floorUs,
      7,
    ),
  ]
}

/** All clones are alive; after each has made one call, some plans are played on the hot connection. */
function interleaved(bench: Bench, raw: Way): { readonly us: number; readonly floorUs: number } {
  const { plans, calls, rounds } = bench
  const longest = Math.max(...plans.map((plan) => plan.length))
  const perTurn = Math.ceil(plans.length / longest)
  const times: { readonly ms: number; readonly floorMs: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const open = clones(bench)
    let [ms, floorMs] = [0, 0]
    for (let turn = 0; turn < longest; turn++) {
      ms += elapsed(() => {
        open.forEach((instance, index) => {
          const call = plans[index]?.[turn]
          if (call !== undefined) callDirectly(instance, call)
        })
      })
      floorMs += raw(plans.slice(turn * perTurn, (turn + 1) * perTurn), turn * perTurn)
    }
    closeAll(open)
    if (round > 0) times.push({ ms, floorMs })
  }
  const perCall = (pick: (time: (typeof times)[number]) => number) => (median(times.map(pick)) * 1000) / calls
  return { us: perCall(({ ms }) => ms), floorUs: perCall(({ floorMs }) => floorMs) }
}
