// Writes core/schemas/*.json from the schemas that read and write bundles; with --check, fails when they are out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

const folder = fileURLToPath(new URL('../schemas/', import.meta.url))
const { bundleJsonSchemas } = await createJiti(import.meta.url).import('../src/artifacts/bundle-schemas.ts')
const check = process.argv.includes('--check')
const wanted = Object.entries(bundleJsonSchemas()).map(([name, schema]) => [
  name,
  `${JSON.stringify(schema, null, 2)}\n`,
])

mkdirSync(folder, { recursive: true })
const surplus = readdirSync(folder).filter((name) => !wanted.some(([known]) => known === name))
const stale = wanted.filter(([name, text]) => {
  return !existsSync(folder + name) || readFileSync(folder + name, 'utf8') !== text
})

if (check && surplus.length + stale.length > 0) {
  const names = [...stale.map(([name]) => name), ...surplus].join(', ')
  process.stderr.write(`✖ core/schemas is out of date: ${names}\n  fix   node core/scripts/write-schemas.mjs\n`)
  process.exitCode = 1
} else if (!check) {
  for (const name of surplus) rmSync(folder + name)
  for (const [name, text] of stale) writeFileSync(folder + name, text)
}
