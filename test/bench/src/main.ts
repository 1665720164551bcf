import { parseArgs } from 'node:util'
import { metricTable } from './metric-table.ts'
import { runSuites } from './run-suites.ts'
import { suites } from './suites.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

const only = values.only.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]))
const { metrics, failures } = await runSuites(suites, only, values.smoke, (line) => console.error(line))

console.log(values.json ? JSON.stringify({ metrics }, null, 2) : metricTable(metrics))
for (const { suite, cause } of failures) console.error(`✖ ${suite} failed:`, cause)
// A missed target is a number to look at; only what could not be measured is an error.
if (failures.length > 0) process.exitCode = 1
