import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/artifacts/make-folder.ts'
import { writeFileAtomic } from '../../src/artifacts/write-file-atomic.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('makes every missing folder, also when several ask at once', async () => {
  for (let i = 0; i < 50; i++) {
    const path = join(temporaryFolder(), 'a', 'b', 'c')
    await Promise.all([
      makeFolder(path),
      makeFolder(path),
      makeFolder(join(path, 'd')),
      makeFolder(join(path, 'e', 'f')),
    ])
    expect(statSync(join(path, 'd')).isDirectory()).toBe(true)
    await makeFolder(path)
  }
})

test('does not take a file for a folder', async () => {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, '')
  await expect(makeFolder(path)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(path, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test.runIf(existsSync('/proc/self'))('a place that takes no folders is an error and not a wait for ever', async () => {
  await expect(writeFileAtomic('/proc/rlenv/deep/file.json', '{}')).rejects.toMatchObject({
    code: 'RLENV_OUTPUT_UNWRITABLE',
    message: expect.stringContaining('/proc/rlenv/deep/file.json'),
  })
})
