// Fails unless a benchmark run printed one JSON document with measured numbers in it.
import { readFileSync } from 'node:fs'

function countNumbers(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? 1 : 0
  if (value === null || typeof value !== 'object') return 0
  return Object.values(value).reduce((sum, part) => sum + countNumbers(part), 0)
}

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const numbers = countNumbers(report)
if (numbers === 0) throw new Error('the benchmark report holds no number')
console.log(`benchmark report: ${numbers} numbers`)
