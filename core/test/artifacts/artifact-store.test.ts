import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { contentHash } from '../../src/determinism/content-hash.ts'
import { writeError } from '../../src/errors/file-error.ts'
import { temporaryFolder } from './temporary-folder.ts'

const key = contentHash('a')
const fileOf = (store: ArtifactStore, of = key) => join(store.directory, of.slice(0, 2), `${of}.json`)

describe('ArtifactStore', () => {
  test('gives back what was put, with keys in the order they came in', async () => {
    const store = new ArtifactStore(join(temporaryFolder(), 'not', 'yet', 'there'))
    const value = { z: 1, a: [null, 'zwölf\n', { y: true, b: 1.5 }] }
    await store.put(key, value)
    expect(JSON.stringify(await store.get(key))).toBe(JSON.stringify(value))
    expect(await store.get(contentHash('b'))).toBeUndefined()
  })

  test('leaves no temporary file behind', async () => {
    const store = new ArtifactStore(temporaryFolder())
    await Promise.all(Array.from({ length: 8 }, (_, i) => store.put(key, { writer: i })))
    expect(readdirSync(dirname(fileOf(store)))).toEqual([`${key}.json`])
  })

  test.each<[string, (file: string) => void]>([
    ['cut short', (file) => truncateSync(file, readFileSync(file).length - 3)],
    ['emptied', (file) => truncateSync(file, 0)],
    ['changed by a byte', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"whole"', '"wholE"'))],
    [
      'stored under another key',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll(key, contentHash('x'))),
    ],
  ])('counts a file as absent that was %s, and takes it anew', async (_how, damage) => {
    const store = new ArtifactStore(temporaryFolder())
    await store.put(key, { value: 'whole' })
    damage(fileOf(store))
    expect(await store.get(key)).toBeUndefined()
    await store.put(key, { value: 'again' })
    expect(await store.get(key)).toEqual({ value: 'again' })
  })

  test('is not disturbed by the half-written file of a writer that died', async () => {
    const store = new ArtifactStore(temporaryFolder())
    mkdirSync(dirname(fileOf(store)), { recursive: true })
    writeFileSync(join(dirname(fileOf(store)), `.${key}.json.999-1.tmp`), '{"format":1,"ke')
    expect(await store.get(key)).toBeUndefined()
    await store.put(key, 1)
    expect(await store.get(key)).toBe(1)
  })

  test('names the folder that cannot be written to, and keeps what it has', async () => {
    const folder = temporaryFolder()
    const store = new ArtifactStore(folder)
    await store.put(key, 1)
    const other = contentHash('b')
    writeFileSync(join(folder, other.slice(0, 2)), 'a file where a folder should be')
    await expect(store.put(other, 2)).rejects.toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: expect.stringContaining(fileOf(store, other)),
      fix: expect.stringMatching(/^Make the folder writable/),
    })
    expect(await store.get(key)).toBe(1)
  })
})

describe('writeError', () => {
  test.runIf(process.platform === 'linux')('calls a full disk by its name', () => {
    try {
      writeFileSync('/dev/full', 'x')
      expect.unreachable()
    } catch (cause) {
      expect(writeError('/data/a.json', cause)).toMatchObject({
        code: 'RLENV_DISK_FULL',
        message: 'the disk is full: /data/a.json was not written',
        cause: expect.objectContaining({ code: 'ENOSPC' }),
      })
    }
  })

  test('passes on what the system said about anything else', () => {
    const cause = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
    expect(writeError('/data/a.json', cause)).toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: 'cannot write /data/a.json: EROFS: read-only file system',
    })
  })
})
