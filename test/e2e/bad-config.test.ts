import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project } from './project.ts'

const preset = `import { arena } from '@rlenv/preset-arena'\n`
const small = 'extends: arena({ environments: 2 })'

let project: Project
beforeAll(() => {
  project = new Project()
})
afterAll(() => project.remove())

/** Loads a configuration file that must be refused before anything is done. */
function refused(file: string, text: string, ...args: readonly string[]) {
  project.write(file, text)
  return project.failure(['config', '-c', file, ...args], 2)
}

describe('a configuration with a fault is refused with what, where and one fix', () => {
  test('an unknown key, with the name it is near to', async () => {
    const error = await refused('unknown.config.ts', `${preset}export default { ${small}, training: { stepz: 3 } }`)
    expect(error).toMatchObject({ status: 'failed', code: 'RLENV_CONFIG_INVALID' })
    expect(error.message).toContain('unknown.config.ts')
    expect(error.message).toContain('training.stepz')
    expect(`${error.message} ${error.fix}`).toContain('"steps"')
  })
  test('a value of the wrong type, with the path and what was found', async () => {
    const text = `${preset}export default { ${small}, training: { steps: 'ten' }, seed: 1.5 }`
    const error = await refused('type.config.ts', text)
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
    for (const part of ['type.config.ts', 'training.steps', 'seed']) expect(error.message).toContain(part)
    expect(error.fix).not.toBeNull()
  })
  test('a key given by --set, with the word that held it', async () => {
    const error = await refused('set.config.ts', `${preset}export default { ${small} }`, '--set', 'training.stepz=3')
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
    expect(error.message).toContain('--set')
  })
  test('an option of a plugin that it does not know', async () => {
    const imports = `${preset}import { filterGroups } from '@rlenv/groups-filter'\n`
    const text = `${imports}export default { ${small}, plugins: [filterGroups({ minCount: 2 })] }`
    const error = await refused('option.config.ts', text)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_OPTIONS', plugin: '@rlenv/groups-filter' })
    expect(`${error.message} ${error.fix}`).toContain('minCounted')
  })
  test('a preset whose package is not installed', async () => {
    const error = await refused(
      'no-preset.config.ts',
      `import { nowhere } from '@rlenv/preset-nowhere'\nexport default { extends: nowhere() }`,
    )
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_NOT_FOUND', plugin: '@rlenv/preset-nowhere' })
    expect(error.message).toContain('no-preset.config.ts')
    expect(error.fix).toBe(`Run "npm install @rlenv/preset-nowhere" in ${project.directory}.`)
  })
  test('a preset named by its package that is not installed', async () => {
    const error = await refused('named.config.mjs', `export default { extends: 'rlenv-preset-nowhere' }`)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_NOT_FOUND', plugin: 'rlenv-preset-nowhere' })
    expect(error.message).toContain('named.config.mjs')
  })
  test('a plugin whose package is not installed, looked up from the configuration’s own folder', async () => {
    const error = await refused('deep/no-plugin.config.mjs', `export default { plugins: ['rlenv-plugin-nowhere'] }`)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_NOT_FOUND', plugin: 'rlenv-plugin-nowhere' })
    expect(error.message).toContain('no-plugin.config.mjs')
    expect(error.fix).toContain(project.path('deep'))
  })
  test('two plugins of one layer in one slot, both named', async () => {
    const imports = `${preset}import { uniformSampler } from '@rlenv/sampler-uniform'\nimport { definePlugin } from 'rlenv'\nimport { z } from 'zod'\n`
    const mine = `definePlugin({ name: 'my-sampler', options: z.strictObject({}), setup: () => ({ sampler: () => { throw new Error('never') } }) })()`
    const text = `${imports}export default { ${small}, plugins: [uniformSampler(), ${mine}] }`
    const error = await refused('two.config.ts', text)
    expect(error).toMatchObject({ code: 'RLENV_SLOT_CONFLICT', hook: 'sampler' })
    expect(error.message).toContain('@rlenv/sampler-uniform')
    expect(error.message).toContain('my-sampler')
  })
  test('an empty file', async () => {
    const error = await refused('empty.config.ts', '\n')
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_FAILED' })
    expect(error.message).toContain('empty.config.ts is empty')
  })
  test('a file that exports nothing', async () => {
    const error = await refused('nothing.config.ts', 'export const config = {}')
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_FAILED' })
    expect(error.message).toContain('nothing.config.ts')
  })
  test.each([
    ['throws.config.mjs', `const window = 4\nthrow new RangeError('window is ' + window)\n`, 2],
    ['throws.config.cjs', `\n\nthrow new RangeError('window is ' + 4)\n`, 3],
    ['throws.config.ts', `const window: number = 4\n\nthrow new RangeError('window is ' + window)\nexport {}\n`, 3],
  ])('%s, which throws: its file, line and own error', async (file, text, line) => {
    const error = await refused(file, text)
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_FAILED' })
    expect(error.message).toContain(`${file}:${line}:`)
    expect(error.message).toContain('RangeError: window is 4')
    expect(error.message).not.toContain('ERR_REQUIRE_ESM')
  })
  test('a file with a syntax error, with its line', async () => {
    const error = await refused('syntax.config.ts', 'export default {\n  seed: 3,\n  name: = 4,\n}\n')
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_FAILED' })
    expect(error.message).toContain('syntax.config.ts:3')
  })
  test('files that extend each other in a circle, with the whole circle', async () => {
    project.write('b.config.mjs', `export default { extends: './c.config.mjs' }`)
    project.write('c.config.mjs', `export default { extends: './a.config.mjs' }`)
    const error = await refused('a.config.mjs', `export default { extends: './b.config.mjs' }`)
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_CYCLE' })
    expect(error.message).toContain('a.config.mjs → b.config.mjs → c.config.mjs → a.config.mjs')
  })
  test('no file at all', async () => {
    const error = await project.failure(['config'], 2)
    expect(error).toMatchObject({ code: 'RLENV_CONFIG_NOT_FOUND' })
    expect(error.fix).toContain('rlenv init')
  })
  test('words that the command does not know', async () => {
    expect(await project.failure(['config', '--hoks'], 2)).toMatchObject({ code: 'RLENV_USAGE' })
  })
})

test('the same error reads on stderr as one message with its fix and code, and leaves stdout empty', async () => {
  project.write('text.config.ts', `${preset}export default { ${small}, training: { stepz: 3 } }`)
  const { code, stdout, stderr } = await project.rlenv('config', '-c', 'text.config.ts')
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^ ✖ .*stepz/)
  expect(stderr).toMatch(/\n {3}fix +\S.*\n/)
  expect(stderr).toMatch(/\n {3}code +RLENV_CONFIG_INVALID/)
  expect(stderr).not.toMatch(/\n +at /)
})
