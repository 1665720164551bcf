// Puts the generated pages that error messages name into the package while it is packed; with --remove, takes them away.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pages = ['errors.md', 'hooks.md']
const source = fileURLToPath(new URL('../../docs/', import.meta.url))
const target = fileURLToPath(new URL('../docs/', import.meta.url))

if (process.argv.includes('--remove')) {
  rmSync(target, { recursive: true, force: true })
} else {
  mkdirSync(target, { recursive: true })
  // A page lies one folder below its package here, and beside the package at home.
  for (const page of pages) {
    writeFileSync(target + page, readFileSync(source + page, 'utf8').replaceAll('](../core/', '](../'))
  }
}
