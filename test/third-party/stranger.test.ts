import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './command.ts'

const here = import.meta.dirname
const root = join(here, '../..')
const published = ['core', 'plugins', 'presets']

/** A stranger's two folders: where the plugin is developed, and an empty project that uses it. */
const work = mkdtempSync(join(tmpdir(), 'rlenv-stranger-'))
const plugin = join(work, 'plugin')
const project = join(work, 'project')
const tarballs = join(work, 'tarballs')

function packages(): string[] {
  return published.flatMap((folder) => {
    return folder === 'core' ? [folder] : readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
  })
}

const tarballOf = (start: string) => {
  const file = readdirSync(tarballs).find((name) => new RegExp(`^${start}-\\d`).test(name))
  if (!file) throw new Error(`no tarball of ${start}`)
  return join(tarballs, file)
}

beforeAll(() => {
  for (const folder of [plugin, project, tarballs]) mkdirSync(folder)
  for (const folder of packages()) run('npm', ['pack', '--pack-destination', tarballs], join(root, folder))
  cpSync(join(here, 'fixtures/rlenv-plugin-round-robin'), plugin, { recursive: true })
  const tools = ['typescript@6.0.3', 'vitest@4.1.12', '@types/node@20', 'zod@~4.6.7']
  // A sampler's contract opens no database, so the SQLite binding is compiled once, in the project below.
  run('npm', ['install', '--no-save', '--force', '--ignore-scripts', tarballOf('rlenv'), ...tools], plugin)
  run('npm', ['run', 'build'], plugin)
  run('npm', ['pack', '--pack-destination', tarballs], plugin)
  cpSync(join(here, 'fixtures/project'), project, { recursive: true })
  run('npm', ['init', '--yes'], project)
  const ours = readdirSync(tarballs).map((name) => join(tarballs, name))
  run('npm', ['install', ...ours], project)
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

test('the installed package carries the pages that its messages name, with links that lead somewhere', () => {
  const docs = join(project, 'node_modules/rlenv/docs')
  for (const page of ['errors.md', 'hooks.md']) {
    const text = readFileSync(join(docs, page), 'utf8')
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => join(docs, link ?? ''))
    expect(links.length).toBeGreaterThan(0)
    expect(links.filter((link) => !existsSync(link))).toEqual([])
  }
})

describe("a stranger's plugin", () => {
  test('compiles against the packed declarations and passes its contract suite', () => {
    const { stdout } = run('npx', ['vitest', 'run', '--reporter=json'], plugin)
    const report = JSON.parse(stdout) as { numPassedTests: number; numFailedTests: number }
    expect(report.numFailedTests).toBe(0)
    expect(report.numPassedTests).toBeGreaterThanOrEqual(20)
  })
  test('fills its slot in place of the preset’s plugin', () => {
    const { stdout } = run('npx', ['rlenv', 'config', '--hooks', '--json'], project)
    const { hooks } = JSON.parse(stdout) as { hooks: { hook: string; plugins: unknown[]; replaced: unknown[] }[] }
    expect(hooks.find(({ hook }) => hook === 'sampler')).toMatchObject({
      plugins: [{ name: 'rlenv-plugin-round-robin', version: '1.2.3' }],
      replaced: [{ name: '@rlenv/sampler-adaptive' }],
    })
  })
  test('takes part in a whole training run', () => {
    const { stdout } = run('npx', ['rlenv', 'train', '--json'], project)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'done', steps: 2 })
  })
})
