// Writes docs/performance.md from the JSON of a whole benchmark: npm run bench -- --json > bench.json
// Of several files, what a later one measured stands in place of an earlier one's.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

const sources = process.argv.slice(2)
if (sources.length === 0) {
  console.error('usage: node docs/performance.mjs <bench.json>…')
  process.exit(2)
}

const metrics = sources
  .map((source) => JSON.parse(readFileSync(source, 'utf8')).metrics)
  .reduce((earlier, later) => {
    const measured = new Set(later.map(({ id }) => id))
    return [...earlier.filter(({ id }) => !measured.has(id)), ...later]
  })

const chapters = [
  {
    title: 'Environments',
    ids: /^E/,
    text: 'Floors: bare deserialisation of the same images, the same statements on one hot connection without JSON, a full scan of both databases, a bare request, an echo over the same transport.',
  },
  {
    title: 'Rollouts',
    ids: /^R/,
    text: 'A scripted policy that costs next to nothing; floor: the same calls on bare instances.',
  },
  {
    title: 'Learning',
    ids: /^L/,
    text: 'The embedded learner on synthesised environments. L1 to L8 are one run as the quickstart makes it, L9 to L15 say how far what was learnt carries and what rewards without meaning do.',
  },
]

const number = (value) =>
  value === null ? '' : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)))
const verdict = ({ target, ok }) => (target === null ? '' : ok ? 'met' : '**missed**')
const row = (metric) => {
  const { id, what, value, unit, floor, ratio, target } = metric
  return `| ${[id, what, `${number(value)} ${unit}`, number(floor), number(ratio), number(target), verdict(metric)].join(' | ')} |`
}

const natural = (a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })
const head = '| id | what | value | floor | ratio | target | |\n|---|---|---|---|---|---|---|'
const sections = chapters.map(({ title, ids, text }) => {
  const rows = metrics.filter(({ id }) => ids.test(id)).sort(natural)
  return `## ${title}\n\n${text}\n\n${head}\n${rows.map(row).join('\n')}`
})

const missed = metrics.filter(({ target, ok }) => target !== null && !ok)
const page = `# Performance

Written by \`docs/performance.mjs\` from \`npm run bench\` on ${cpus().length} cores, Node ${process.versions.node}. Absolute
figures do not travel; ratios to a floor that was measured in the same run should. A target belongs to the ratio where there
is one, otherwise to the value. ${missed.length === 0 ? 'Every target was met.' : `Missed: ${missed.map(({ id }) => id).join(', ')}.`}

${sections.join('\n\n')}
`
writeFileSync(join(import.meta.dirname, 'performance.md'), page)
