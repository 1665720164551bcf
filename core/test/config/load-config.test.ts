import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/resolve-config.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-config-'))
  await write('package.json', '{}')
})

afterEach(() => rm(folder, { recursive: true }))

async function write(path: string, text: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

const load = (file?: string, set: readonly string[] = []) =>
  loadConfig({ command: 'train', cwd: folder, set, ...(file === undefined ? {} : { file }) })

/** A plugin as an npm package would export it, without rlenv being installed beside it. */
const factory = (name: string, fields = '') => `
const create = (options = {}) => ({
  name: '${name}', version: '1.0.0', options, ${fields}
  resolveOptions: () => options, setup: () => ({}), withOptions: create,
})
Object.defineProperty(create, Symbol.for('rlenv.plugin-factory'), { value: true })
`

describe('a configuration file', () => {
  const esm = 'export default { seed: 7 }'
  const cjs = 'module.exports = { seed: 7 }'
  test.each([
    ['rlenv.config.ts', 'const seed: number = 7\nexport default { seed } satisfies object', undefined],
    ['rlenv.config.mts', 'enum Seed { A = 7 }\nexport default { seed: Seed.A as number }', undefined],
    ['rlenv.config.cts', 'const seed: number = 7\nmodule.exports = { seed }', undefined],
    ['rlenv.config.mjs', esm, undefined],
    ['rlenv.config.cjs', cjs, undefined],
    ['rlenv.config.js', esm, 'module'],
    ['rlenv.config.js', cjs, 'commonjs'],
    ['rlenv.config.json', '{ "seed": 7 }', undefined],
  ])('%s loads without TypeScript being installed (%#)', async (name, text, type) => {
    if (type !== undefined) await write('package.json', JSON.stringify({ type }))
    const file = await write(name, text)
    const { config, origins } = await load()
    expect(config).toMatchObject({ seed: 7, file, baseDirectory: folder })
    expect(origins.seed).toEqual({ index: 1, name })
  })

  test.each([
    ['rlenv.config.json', '{ "seed": 7 }'],
    ['rlenv.config.mjs', esm],
  ])('%s may begin with a byte order mark', async (name, text) => {
    await write(name, `\uFEFF${text}`)
    expect((await load()).config.seed).toBe(7)
  })

  test('is found from a folder below it, up to the project’s root', async () => {
    await write('rlenv.config.mjs', esm)
    await mkdir(join(folder, 'a/b'), { recursive: true })
    expect((await loadConfig({ command: 'train', cwd: join(folder, 'a/b') })).config.seed).toBe(7)
  })

  test('may be a function of the command that awaits', async () => {
    await write('rlenv.config.mjs', 'export default async ({ command }) => ({ name: command })')
    expect((await load()).config.name).toBe('train')
  })

  test('that does not exist is named', async () => {
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_NOT_FOUND',
      message: expect.stringContaining(folder),
    })
    await expect(load('other.config.ts')).rejects.toMatchObject({
      code: 'RLENV_CONFIG_NOT_FOUND',
      message: expect.stringContaining(join(folder, 'other.config.ts')),
    })
  })

  test.each(['rlenv.config.ts', 'rlenv.config.mjs', 'rlenv.config.json'])(
    '%s that is empty is refused',
    async (name) => {
      await write(name, '\n')
      await expect(load()).rejects.toMatchObject({
        code: 'RLENV_CONFIG_FAILED',
        message: `${join(folder, name)} is empty`,
      })
    },
  )

  test('without a default export is refused', async () => {
    const file = await write('rlenv.config.ts', 'export const config = { seed: 1 }')
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_FAILED',
      message: `${file} has no default export`,
    })
  })

  test.each(['ts', 'mts', 'mjs', 'cjs'])(
    'in .%s that throws is reported with file, line and error',
    async (extension) => {
      const last = extension === 'cjs' ? 'module.exports = boom()' : 'export default boom()'
      const file = await write(
        `rlenv.config.${extension}`,
        `\n\nfunction boom() { throw new TypeError('no tasks') }\n${last}\n`,
      )
      await expect(load()).rejects.toMatchObject({
        code: 'RLENV_CONFIG_FAILED',
        message: expect.stringMatching(new RegExp(`^${file}:3:\\d+ does not load: TypeError: no tasks$`)),
        cause: expect.objectContaining({ name: 'TypeError' }),
      })
    },
  )

  test('whose function throws is reported with its line', async () => {
    const file = await write('rlenv.config.ts', 'export default async () => {\n  throw new Error("late")\n}')
    await expect(load()).rejects.toMatchObject({ message: expect.stringContaining(`${file}:2:`) })
  })

  test.each(['ts', 'mjs'])('in .%s with a syntax error is reported with its line', async (extension) => {
    const file = await write(`rlenv.config.${extension}`, 'export default {\n  seed: = 2,\n}\n')
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_FAILED',
      message: expect.stringMatching(new RegExp(`^${file}:2:\\d+ does not load: SyntaxError: Unexpected token`)),
    })
  })

  test('in JSON with a syntax error is reported with its line', async () => {
    const file = await write('rlenv.config.json', '{\n  "seed": 7,\n  oops\n}')
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_FAILED',
      message: expect.stringContaining(`${file}:3:3 is not JSON`),
    })
  })

  test('with an unknown key is reported with file and path', async () => {
    await write('rlenv.config.mjs', 'export default { training: { stepz: 1 } }')
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: 'rlenv.config.mjs: training.stepz: unknown key',
    })
  })
})

describe('extends', () => {
  test('follows paths from the folder of the file that names them', async () => {
    await write('bases/base.config.ts', 'export default { seed: 1, training: { steps: 5 } }')
    await write('bases/middle.config.mjs', "export default { extends: './base.config.ts', seed: 2 }")
    await write('rlenv.config.mjs', "export default { extends: ['./bases/middle.config.mjs'] }")
    const { config, layers } = await load()
    expect(config).toMatchObject({ seed: 2, training: { steps: 5 } })
    expect(layers.map(({ name }) => name)).toEqual([
      'core',
      'bases/base.config.ts',
      'bases/middle.config.mjs',
      'rlenv.config.mjs',
    ])
  })

  test('prints the circle when files extend each other', async () => {
    await write('a.config.mjs', "export default { extends: './rlenv.config.mjs' }")
    await write('rlenv.config.mjs', "export default { extends: './a.config.mjs' }")
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_CYCLE',
      message: 'configurations extend each other in a circle: rlenv.config.mjs → a.config.mjs → rlenv.config.mjs',
    })
  })

  test('names a path that does not exist', async () => {
    const file = await write('rlenv.config.mjs', "export default { extends: './nowhere.ts' }")
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_CONFIG_NOT_FOUND',
      message: `${file} names ${join(folder, 'nowhere.ts')}, which does not exist`,
    })
  })

  test('calls what a preset package exports', async () => {
    await write(
      'node_modules/rlenv-preset-small/package.json',
      '{ "type": "module", "exports": { "import": "./main.js" } }',
    )
    await write('node_modules/rlenv-preset-small/main.js', 'export const small = () => ({ training: { steps: 3 } })')
    await write('rlenv.config.mjs', "export default { extends: 'rlenv-preset-small' }")
    const { config, origins } = await load()
    expect(config.training.steps).toBe(3)
    expect(origins['training.steps']?.name).toBe('rlenv-preset-small')
  })
})

describe('packages', () => {
  test('that export a plugin are loaded by name, with options, from the configuration’s folder', async () => {
    await write('project/node_modules/rlenv-plugin-one/package.json', '{ "type": "module", "exports": "./main.js" }')
    await write(
      'project/node_modules/rlenv-plugin-one/main.js',
      `${factory('rlenv-plugin-one')}export { create as one }`,
    )
    await write('project/local.ts', `${factory('local')}export default create`)
    await write(
      'project/rlenv.config.mjs',
      "export default { plugins: [['rlenv-plugin-one', { window: 3 }], './local.ts'] }",
    )
    const { layers } = await load('project/rlenv.config.mjs')
    expect(layers.at(-1)?.plugins.map(({ name, options }) => [name, options])).toEqual([
      ['rlenv-plugin-one', { window: 3 }],
      ['local', {}],
    ])
  })

  test.each([
    ['by name', "export default { plugins: ['rlenv-plugin-nowhere'] }"],
    ['by import', "import nowhere from 'rlenv-plugin-nowhere/sub'\nexport default { plugins: [nowhere()] }"],
    ['as a preset', "export default { extends: 'rlenv-plugin-nowhere' }"],
  ])('that are not installed are named with the file and the command, %s', async (_, text) => {
    for (const extension of ['mjs', 'ts']) {
      const file = await write(`rlenv.config.${extension}`, text)
      await expect(load(file)).rejects.toMatchObject({
        code: 'RLENV_PLUGIN_NOT_FOUND',
        plugin: 'rlenv-plugin-nowhere',
        message: expect.stringMatching(
          `^the package "rlenv-plugin-nowhere(/sub)?" that ${file} uses is not installed$`,
        ),
        fix: `Run "npm install rlenv-plugin-nowhere" in ${folder}.`,
      })
    }
  })

  test('that export no plugin, or several, are refused', async () => {
    await write('none.mjs', 'export const a = 1')
    await write('rlenv.config.mjs', "export default { plugins: ['./none.mjs'] }")
    await expect(load()).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      message: `./none.mjs (${join(folder, 'none.mjs')}) exports no plugin`,
    })
    await write('two.mjs', `${factory('two')}export { create as first, create as second }`)
    await write('other.config.mjs', "export default { plugins: ['./two.mjs'] }")
    await expect(load('other.config.mjs')).rejects.toMatchObject({
      message: './two.mjs exports several plugins: first, second',
    })
  })
})
