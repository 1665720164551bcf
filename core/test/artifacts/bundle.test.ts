import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readBundle, writeBundle } from '../../src/artifacts/bundle-directory.ts'
import { packBundle, unpackBundle } from '../../src/artifacts/pack-bundle.ts'
import { contentHash } from '../../src/determinism/content-hash.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** An environment that uses every part of a bundle. */
function full(): Environment {
  const tiny = tinyEnvironment()
  return {
    ...tiny,
    database: { ...tiny.database, annotations: { miner: { entities: ['member'] } } },
    scripts: { 'tools/fine.ts': 'export default () => 1\n', 'verifiers/lend.ts': 'export default () => []\n' },
    files: { 'notes/read me.md': '# größe\n', 'prices.csv': 'a,b\r\n1,2\r\n' },
    provenance: [{ stage: 'database', plugins: ['tiny-library@1.0.0'], attempts: 2, costUsd: 0.25 }],
  }
}

/** Every file below a folder, by path, as bytes. */
function bytesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(files.sort().map((path) => [path, readFileSync(join(folder, path), 'latin1')]))
}

async function written(environment = full()): Promise<string> {
  const folder = join(temporaryFolder(), environment.id)
  await writeBundle(environment, folder)
  return folder
}

describe('a bundle', () => {
  test('holds the files that format 1 names', async () => {
    expect(Object.keys(bytesOf(await written()))).toEqual([
      'data.sql',
      'environment.json',
      'files/notes/read me.md',
      'files/prices.csv',
      'schema.sql',
      'tasks.jsonl',
      'tools.json',
      'tools/fine.ts',
      'verifiers/lend.json',
      'verifiers/lend.ts',
      'verifiers/promote.json',
      'verifiers/return.json',
      'verifiers/shelf.json',
    ])
  })

  test('gives back the environment, down to the order of a tool’s parameters', async () => {
    expect(JSON.stringify(await readBundle(await written()))).toBe(JSON.stringify(full()))
  })

  test('has the same bytes for the same content, whoever wrote the fields in which order', async () => {
    const environment = full()
    const reversed = Object.fromEntries(Object.entries(environment).reverse()) as unknown as Environment
    const tools = environment.tools.map((tool) => Object.fromEntries(Object.entries(tool).reverse()))
    const again = { ...reversed, tools: tools as unknown as Environment['tools'] }
    expect(bytesOf(await written(again))).toEqual(bytesOf(await written(environment)))
  })

  test('is left alone when it holds the same bytes already, and replaced when it does not', async () => {
    const folder = await written()
    const before = statSync(join(folder, 'tools.json'), { bigint: true }).mtimeNs
    await writeBundle(full(), folder)
    expect(statSync(join(folder, 'tools.json'), { bigint: true }).mtimeNs).toBe(before)
    await writeBundle(tinyEnvironment(), folder)
    expect(await readBundle(folder)).toEqual(tinyEnvironment())
    expect(readdirSync(join(folder, '..'))).toEqual(['tiny-library'])
  })

  test('does not replace a folder that holds something else', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'thesis.tex'), 'years of work')
    await expect(writeBundle(full(), folder)).rejects.toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    expect(readFileSync(join(folder, 'thesis.tex'), 'utf8')).toBe('years of work')
  })

  test('names the folder when it cannot be written to', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await expect(writeBundle(full(), join(file, 'below'))).rejects.toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: expect.stringContaining(join(file, 'below')),
    })
  })

  test('ignores files that it does not list', async () => {
    const folder = await written()
    writeFileSync(join(folder, 'README.md'), 'mine')
    expect(await readBundle(folder)).toEqual(full())
  })
})

describe('a damaged bundle', () => {
  const rewriteManifest = (folder: string, change: (manifest: Record<string, unknown>) => void) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'environment.json'), 'utf8'))
    change(manifest)
    writeFileSync(join(folder, 'environment.json'), JSON.stringify(manifest))
  }
  /** Replaces a part together with its hash, as somebody would who means harm. */
  const forge = (folder: string, path: string, text: string) => {
    writeFileSync(join(folder, path), text)
    rewriteManifest(folder, (manifest) => Object.assign(manifest.parts as object, { [path]: contentHash(text) }))
  }

  test.each<[string, RegExp, (folder: string) => void]>([
    ['a changed part', /data\.sql does not have the content/, (f) => writeFileSync(join(f, 'data.sql'), '-- gone')],
    ['a missing part', /tools\.json is missing/, (f) => rmSync(join(f, 'tools.json'))],
    ['no manifest', /environment\.json is missing/, (f) => rmSync(join(f, 'environment.json'))],
    [
      'a torn manifest',
      /environment\.json is not JSON/,
      (f) => writeFileSync(join(f, 'environment.json'), '{"format": 1,'),
    ],
    [
      'another format',
      /has format 2, this version reads 1/,
      (f) => rewriteManifest(f, (m) => Object.assign(m, { format: 2 })),
    ],
    [
      'a manifest with an unknown key',
      /environment\.json does not fit its schema: extra: unknown key/,
      (f) => rewriteManifest(f, (m) => Object.assign(m, { extra: 1 })),
    ],
    [
      'a path that leaves it',
      /lists \.\.\/outside\.sql, which is no part/,
      (f) => rewriteManifest(f, (m) => Object.assign(m.parts as object, { '../outside.sql': contentHash('') })),
    ],
    [
      'a path that leaves its files',
      /lists files\/\.\.\/\.\.\/x, which is no part/,
      (f) => rewriteManifest(f, (m) => Object.assign(m.parts as object, { 'files/../../x': contentHash('') })),
    ],
    [
      'a link in place of a part',
      /schema\.sql is or lies behind a link/,
      (f) => {
        renameSync(join(f, 'schema.sql'), join(f, 'elsewhere.sql'))
        symlinkSync('elsewhere.sql', join(f, 'schema.sql'))
      },
    ],
    [
      'a link in place of a folder',
      /tools\/fine\.ts is or lies behind a link/,
      (f) => {
        cpSync(join(f, 'tools'), join(f, '..', 'elsewhere'), { recursive: true })
        rmSync(join(f, 'tools'), { recursive: true })
        symlinkSync('../elsewhere', join(f, 'tools'))
      },
    ],
    [
      'a folder in place of a part',
      /data\.sql is no file/,
      (f) => {
        rmSync(join(f, 'data.sql'))
        mkdirSync(join(f, 'data.sql'))
      },
    ],
    [
      'a tool with an unknown field',
      /tools\.json does not fit its schema: \[0\]\.evil: unknown key/,
      (f) => {
        const tools = JSON.parse(readFileSync(join(f, 'tools.json'), 'utf8'))
        forge(f, 'tools.json', JSON.stringify([{ ...tools[0], evil: true }]))
      },
    ],
    ['a torn line of tasks', /tasks\.jsonl:1 is not JSON/, (f) => forge(f, 'tasks.jsonl', '{"id": "tiny')],
    [
      'a task of another environment',
      /tasks\.jsonl holds other\/lend, a task of another environment/,
      (f) => {
        const line = readFileSync(join(f, 'tasks.jsonl'), 'utf8').split('\n')[0]!
        forge(f, 'tasks.jsonl', `${line.replace('tiny-library/lend', 'other/lend')}\n`)
      },
    ],
    [
      'a verifier that no part holds',
      /verifiers\/x\.json is missing/,
      (f) => {
        const text = readFileSync(join(f, 'tasks.jsonl'), 'utf8')
        forge(f, 'tasks.jsonl', text.replace('verifiers/lend.json', 'verifiers/x.json'))
      },
    ],
  ])('is refused for %s', async (_what, message, damage) => {
    const folder = await written()
    damage(folder)
    await expect(readBundle(folder)).rejects.toMatchObject({
      code: 'RLENV_BUNDLE_INVALID',
      message: expect.stringMatching(message),
    })
  })

  test.each(['../x', '/etc/passwd', 'a//b', 'a/./b', 'a\\b', 'c:x', 'a\u0000b', 'a ', ''])(
    'is not written for the file path %j',
    async (path) => {
      const environment = { ...full(), files: { [path]: 'x' } }
      await expect(writeBundle(environment, join(temporaryFolder(), 'b'))).rejects.toMatchObject({
        code: 'RLENV_BUNDLE_INVALID',
      })
    },
  )

  test('is not written when two files differ in case alone', async () => {
    const environment = { ...full(), files: { 'a.md': '1', 'A.md': '2' } }
    await expect(writeBundle(environment, join(temporaryFolder(), 'b'))).rejects.toThrow(/the path of two parts/)
  })
})

describe('a packed bundle', () => {
  test('gives back the environment and has the same bytes for the same content', async () => {
    const folder = temporaryFolder()
    await packBundle(full(), join(folder, 'one.rlenv'))
    await packBundle(full(), join(folder, 'two.rlenv'))
    expect(await unpackBundle(join(folder, 'one.rlenv'))).toEqual(full())
    expect(readFileSync(join(folder, 'one.rlenv')).equals(readFileSync(join(folder, 'two.rlenv')))).toBe(true)
  })

  test.each<[string, RegExp, (bytes: Buffer) => Buffer]>([
    ['is cut short', /cannot be unpacked/, (bytes) => bytes.subarray(0, bytes.length - 20)],
    [
      'lost a part',
      /schema\.sql is missing/,
      (bytes) => lines(bytes, (all) => all.filter((line) => !line.startsWith('{"path":"schema.sql"'))),
    ],
    ['has no manifest', /environment\.json is not JSON/, (bytes) => lines(bytes, (all) => all.slice(1))],
    ['holds a line of something else', /line 1 is no part/, (bytes) => lines(bytes, (all) => ['[]', ...all])],
  ])('is refused when it %s', async (_what, message, damage) => {
    const file = join(temporaryFolder(), 'x.rlenv')
    await packBundle(full(), file)
    writeFileSync(file, damage(readFileSync(file)))
    await expect(unpackBundle(file)).rejects.toMatchObject({
      code: 'RLENV_BUNDLE_INVALID',
      message: expect.stringMatching(message),
    })
  })
})

function lines(bytes: Buffer, change: (lines: readonly string[]) => readonly string[]): Buffer {
  return gzipSync(change(gunzipSync(bytes).toString('utf8').split('\n')).join('\n'))
}
