import type { ExecutableEnvironment, ToolCall } from 'rlenv'
import type { Metric } from '../metric.ts'
import type { OpenRaw } from './raw-sqlite.ts'

/** A fresh or played copy of the benchmark's environment. */
export type Instance = ReturnType<ExecutableEnvironment['open']>

/** What every measurement works on. */
export interface Bench {
  readonly executable: ExecutableEnvironment
  readonly openRaw: OpenRaw
  readonly plans: readonly (readonly ToolCall[])[]
  readonly calls: number
  readonly instances: number
  readonly rounds: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Milliseconds that `work` takes. */
export function elapsed(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

/** Median milliseconds of `work`, after one round that does not count. `before` and `after` are not timed. */
export function timed<T>(
  rounds: number,
  before: () => T,
  work: (made: T) => void,
  after: (made: T) => void = () => {},
): number {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const made = before()
    const ms = elapsed(() => work(made))
    if (round > 0) times.push(ms)
    after(made)
  }
  return median(times)
}

/** A line of the report; its target is for the ratio where there is a floor, otherwise for the value. */
export function metric(
  id: string,
  what: string,
  unit: string,
  value: number,
  floor: number | null,
  target: number,
): Metric {
  const ratio = floor === null ? null : value / floor
  return { id, what, value, unit, floor, ratio, target, ok: (ratio ?? value) <= target }
}

/** Instances that each have a database of their own. */
export function clones({ executable, instances }: Bench): Instance[] {
  return Array.from({ length: instances }, (_, seed) => executable.open({ seed, strategy: 'clone' }))
}

/** Closes each of them. */
export function closeAll(open: readonly { close(): void }[]): void {
  for (const one of open) one.close()
}

/** Plays every plan on a clone of its own. */
export function played(bench: Bench, count: number): Instance[] {
  return bench.plans.slice(0, count).map((plan, seed) => {
    const instance = bench.executable.open({ seed, strategy: 'clone' })
    for (const { tool, arguments: args } of plan) instance.call(tool, args)
    return instance
  })
}
