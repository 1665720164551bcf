// Compiles every TypeScript snippet of README.md, docs/guides, docs/papers and the packages' READMEs against the sources,
// and checks that every relative link leads somewhere. A block whose first line is `// name.ts` is that file; the blocks of
// one page see each other.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs/.snippets')
const pages = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'docs', 'plugins', 'presets', 'core', 'examples'].flatMap(
  markdown,
)

function markdown(path) {
  if (path.endsWith('.md')) return [path]
  return ts.sys
    .readDirectory(join(root, path), ['.md'], ['**/node_modules', '**/dist', 'docs/api'], undefined)
    .map((file) => file.slice(root.length))
}

/** Decisions show what was considered, not what compiles; docs/hooks.md is generated from compiled source. */
const isCompiled = (page) => !page.startsWith('docs/decisions/') && page !== 'docs/hooks.md'

function* snippets(page) {
  const text = readFileSync(join(root, page), 'utf8')
  let count = 0
  for (const [, body] of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
    count += 1
    yield { name: /^\/\/ ([\w.-]+\.ts)\n/.exec(body)?.[1] ?? `snippet-${count}.ts`, body }
  }
}

function write() {
  rmSync(folder, { recursive: true, force: true })
  const files = []
  for (const page of pages.filter(isCompiled)) {
    const place = join(folder, page.replaceAll(/[^A-Za-z0-9]+/g, '-'))
    for (const { name, body } of snippets(page)) {
      mkdirSync(place, { recursive: true })
      const file = join(place, name)
      writeFileSync(file, /^(import|export) /m.test(body) ? body : `${body}\nexport {}\n`)
      files.push({ page, file })
    }
  }
  return files
}

function compile(files) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.source.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
  const program = ts.createProgram(
    files.map(({ file }) => file),
    { ...options, noEmit: true },
  )
  const inSnippets = ts.getPreEmitDiagnostics(program).filter(({ file }) => file?.fileName.startsWith(folder))
  return inSnippets.map((found) => {
    const { page } = files.find(({ file }) => file === found.file.fileName) ?? { page: found.file.fileName }
    const line = found.file.getLineAndCharacterOfPosition(found.start ?? 0).line + 1
    return `${page}: snippet line ${line}: ${ts.flattenDiagnosticMessageText(found.messageText, '\n')}`
  })
}

function brokenLinks(page) {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => link)
  return links
    .filter((link) => !existsSync(join(root, dirname(page), link)))
    .map((link) => `${page}: link to ${link} leads nowhere`)
}

const files = write()
const problems = [...compile(files), ...pages.flatMap(brokenLinks)]
rmSync(folder, { recursive: true, force: true })
for (const problem of problems) console.error(problem)
console.log(`${files.length} snippets of ${pages.length} pages compiled, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1
