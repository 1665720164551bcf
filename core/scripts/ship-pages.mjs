// Puts the generated pages that error messages name, and the pages that those link to, into the package while it is packed;
// with --remove, takes them away.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../docs/', import.meta.url))
const target = fileURLToPath(new URL('../docs/', import.meta.url))

/** A set grows while it is gone through. */
const pages = new Set(['errors.md', 'hooks.md'])

function ship(page) {
  const text = readFileSync(join(source, page), 'utf8')
  for (const [, link] of text.matchAll(/\]\(([^)#:]+\.md)/g)) {
    const linked = join(dirname(page), link)
    if (!linked.startsWith('..')) pages.add(linked)
  }
  mkdirSync(dirname(join(target, page)), { recursive: true })
  // The package is the folder core of the repository, and docs lies inside it instead of beside it.
  writeFileSync(join(target, page), text.replaceAll(/(\]\((?:\.\.\/)+)core\//g, '$1'))
}

rmSync(target, { recursive: true, force: true })
if (!process.argv.includes('--remove')) for (const page of pages) ship(page)
