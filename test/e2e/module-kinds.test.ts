import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project } from './project.ts'

const esm = `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

export default defineConfig({ extends: arena({ environments: 5 }), seed: 3 })
`
const commonJs = `const { arena } = require('@rlenv/preset-arena')
const { defineConfig } = require('rlenv')

module.exports = defineConfig({ extends: arena({ environments: 5 }), seed: 3 })
`
const typed = esm.replace('seed: 3', 'seed: 3 satisfies number')
const typedCommonJs = `import type { RlenvConfig } from 'rlenv'
${commonJs.replace('module.exports =', 'const config: RlenvConfig =')}
module.exports = config
`

/** File name, "type" in package.json, and how such a file is written. */
const kinds = [
  ['ts', 'module', typed],
  ['ts', undefined, typed],
  ['mts', 'module', typed],
  ['mts', undefined, typed],
  ['cts', 'module', typedCommonJs],
  ['cts', undefined, typedCommonJs],
  ['mjs', 'module', esm],
  ['mjs', undefined, esm],
  ['cjs', 'module', commonJs],
  ['cjs', undefined, commonJs],
  ['js', 'module', esm],
  ['js', undefined, commonJs],
] as const

/** Nothing of this process may find a TypeScript. */
const guard = `import { Module, register } from 'node:module'
const refuse = (name) => {
  if (name === 'typescript' || name.startsWith('typescript/')) throw new Error("Cannot find package 'typescript'")
}
const resolveFilename = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  refuse(name)
  return resolveFilename.call(this, name, ...rest)
}
const hook = 'const refuse = ' + refuse + '; export function resolve(name, context, next) { refuse(name); return next(name, context) }'
register('data:text/javascript,' + encodeURIComponent(hook))
`

interface Document {
  readonly config: Readonly<Record<string, unknown>>
  readonly origins: unknown
  readonly hooks: unknown
}

const project = new Project({ 'no-typescript.mjs': guard })
const without = { NODE_OPTIONS: `--import=${project.path('no-typescript.mjs')}` }
let reference: Document

function load(folder: string, file: string): Promise<Document> {
  return project.json<Document>(['config', '-c', `${folder}/${file}`], 0, without)
}

beforeAll(async () => {
  project.write('reference/rlenv.config.mjs', esm)
  reference = await load('reference', 'rlenv.config.mjs')
  expect(reference.config).toMatchObject({ seed: 3, file: 'reference/rlenv.config.mjs' })
})
afterAll(() => project.remove())

test('the guard does keep TypeScript away', async () => {
  const { code, stderr } = await project.run(
    process.execPath,
    ['--input-type=module', '-e', `import 'typescript'`],
    without,
  )
  expect(code).not.toBe(0)
  expect(stderr).toContain('typescript')
})

describe('a configuration loads alike, without TypeScript, as', () => {
  test.each(kinds)('rlenv.config.%s beside "type": %s', async (extension, type, text) => {
    const folder = `${extension}-${type ?? 'none'}`
    const file = `rlenv.config.${extension}`
    project.write(`${folder}/package.json`, JSON.stringify({ name: 'kinds', ...(type && { type }) }))
    project.write(`${folder}/${file}`, text)
    const named = JSON.stringify(await load(folder, file)).replaceAll(`${folder}/${file}`, 'reference/rlenv.config.mjs')
    expect(JSON.parse(named)).toEqual(reference)
  })
  test('rlenv.config.json, where plugins and presets are named by their packages', async () => {
    const config = { extends: ['@rlenv/preset-arena'], synthesis: { environments: 5 }, seed: 3 }
    project.write('json/rlenv.config.json', JSON.stringify(config))
    const { config: resolved, hooks } = await load('json', 'rlenv.config.json')
    expect({ ...resolved, file: null }).toEqual({ ...reference.config, file: null })
    const providers = (list: unknown) =>
      (list as { plugins: { name: string }[] }[]).map(({ plugins }) => plugins.map(({ name }) => name))
    expect(providers(hooks)).toEqual(providers(reference.hooks))
  })
})

test('a configuration is found from a folder below it', async () => {
  project.write('below/rlenv.config.ts', typed)
  project.write('below/package.json', '{}')
  project.write('below/deeper/still/note.txt', '')
  const { code, stdout } = await project.run(
    '/bin/sh',
    ['-c', 'cd below/deeper/still && $RLENV config --json'],
    without,
  )
  expect(code).toBe(0)
  expect((JSON.parse(stdout) as Document).config).toMatchObject({ seed: 3 })
})
