import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** Workspace packages resolve to their TypeScript sources, so no test needs a build first. */
const conditions = ['rlenv-source', 'node', 'import', 'default']
const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } }

const packagesIn = (folder: string) =>
  readdirSync(join(import.meta.dirname, folder))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(import.meta.dirname, path, 'package.json')))

/** One project per package, named after its folder (`preset-` before a preset's). */
const unit = (root: string, name = basename(root)): TestProjectConfiguration => ({
  ...fromSource,
  test: { name, root, include: ['test/**/*.test.ts'], server: { deps: { inline: [/^rlenv/, /^@rlenv\//] } } },
})

/** What must and must not compile: one run of the compiler over every `*.test-d.ts`. */
const types: TestProjectConfiguration = {
  test: {
    name: 'types',
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      include: ['{core,plugins/*,presets/*}/test/**/*.test-d.ts'],
      tsconfig: 'tsconfig.source.json',
    },
  },
}

const report = process.env.RLENV_TEST_REPORT

export default defineConfig({
  test: {
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      unit('core'),
      ...packagesIn('plugins').map((root) => unit(root)),
      ...packagesIn('presets').map((root) => unit(root, `preset-${basename(root)}`)),
      types,
    ],
  },
})
