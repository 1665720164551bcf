import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { metricTable } from './metric-table.ts'
import { runApart } from './run-apart.ts'
import { runSuites } from './run-suites.ts'
import { suites } from './suites.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    suite: { type: 'string' },
  },
})

const { smoke, suite } = values
if (suite === undefined) await report()
else await sendMetrics(suite)

/** Runs the suites that were asked for, each in a process of its own, and prints what they measured. */
async function report(): Promise<void> {
  const only = values.only.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]))
  const measure = (name: string) => runApart(fileURLToPath(import.meta.url), name, smoke)
  const { metrics, failures } = await runSuites(suites, only, measure, (line) => console.error(line))
  console.log(values.json ? JSON.stringify({ metrics }, null, 2) : metricTable(metrics))
  for (const failure of failures) console.error(`✖ ${failure.suite} failed:`, failure.cause)
  // A missed target is a number to look at; only what could not be measured is an error.
  if (failures.length > 0) process.exitCode = 1
}

/** What such a process does. */
async function sendMetrics(name: string): Promise<void> {
  const found = suites.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no suite "${name}"`)
  process.send?.(await found.run(smoke))
  process.disconnect()
}
