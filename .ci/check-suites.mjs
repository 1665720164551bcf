// Fails when a test file of the repository is missing from the reports, or ran no test, or left one out.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = process.argv[2] ?? 'reports'
const suites = ['unit', 'e2e', 'third-party', 'conformance']
/** Python clients that are fetched from an index: where that cannot be had, their suite says so and is left out. */
const fetched = 'test/conformance/openenv/official-clients.test.ts'
const problems = []

const ran = new Map()
for (const suite of suites) {
  const path = join(folder, `${suite}.json`)
  if (!existsSync(path)) {
    problems.push(`suite ${suite} left no report`)
    continue
  }
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'))
  if (testResults.length === 0) problems.push(`suite ${suite} has no test file`)
  for (const file of testResults) ran.set(relative(process.cwd(), file.name), file.assertionResults)
}

const tracked = execFileSync('git', ['ls-files', '*.test.ts', '*.test-d.ts'], { encoding: 'utf8' }).split('\n')
for (const file of tracked.filter(
  (path) => path !== '' && !path.includes('/fixtures/') && !path.includes('/templates/'),
)) {
  const tests = ran.get(file)
  if (tests === undefined) problems.push(`${file} did not run`)
  else if (file !== fetched && !tests.some((test) => test.status === 'passed')) problems.push(`${file} ran no test`)
}

for (const [file, tests] of ran) {
  for (const test of tests.filter((one) => one.status !== 'passed' && one.status !== 'failed')) {
    const problem = `${file}: "${test.fullName}" is ${test.status}`
    if (file === fetched) console.log(`left out: ${problem}`)
    else problems.push(problem)
  }
}

for (const problem of problems) console.error(`✖ ${problem}`)
console.log(`${ran.size} test files ran`)
process.exitCode = problems.length === 0 ? 0 : 1
