// Prints `N passed, N failed` over all vitest JSON reports in a folder. A test file that never ran counts as one failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2] ?? 'reports'
const reports = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []

let passed = 0
let failed = 0
let skipped = 0
for (const name of reports) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  passed += report.numPassedTests
  failed += report.numFailedTests + broken.length
  skipped += report.numPendingTests + report.numTodoTests
}

console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1
