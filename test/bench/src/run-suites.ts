import type { Metric } from './metric.ts'
import type { Suite } from './suites.ts'

/** What was measured, and which suites could not be. */
export interface BenchReport {
  readonly metrics: readonly Metric[]
  readonly failures: readonly { readonly suite: string; readonly cause: unknown }[]
}

/**
 * Runs the suites one after the other; one that fails does not keep the others from running.
 *
 * @param only - ids to report, and by them which suites to run; empty means all.
 * @param measure - runs the suite of that name.
 * @param note - told which suite begins.
 */
export async function runSuites(
  suites: readonly Suite[],
  only: readonly string[],
  measure: (suite: string) => Promise<readonly Metric[]>,
  note: (line: string) => void,
): Promise<BenchReport> {
  const metrics: Metric[] = []
  const failures: { suite: string; cause: unknown }[] = []
  for (const { name, ids } of suites) {
    if (only.length > 0 && !only.some((id) => ids.test(id))) continue
    note(`${name} …`)
    try {
      metrics.push(...(await measure(name)))
    } catch (cause) {
      failures.push({ suite: name, cause })
    }
  }
  const wanted = metrics.filter(({ id }) => only.length === 0 || only.includes(id))
  const unknown = only.filter((id) => failures.length === 0 && !wanted.some((metric) => metric.id === id))
  if (unknown.length > 0) failures.push({ suite: unknown.join(', '), cause: new Error('no suite measures this') })
  return { metrics: wanted, failures }
}
