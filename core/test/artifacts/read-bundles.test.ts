import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeBundle } from '../../src/artifacts/bundle-directory.ts'
import { readBundles } from '../../src/artifacts/read-bundles.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function shelf(): Promise<string> {
  const folder = temporaryFolder()
  for (const id of ['shop', 'bank', 'clinic']) await writeBundle(tinyEnvironment({ id }), join(folder, id))
  mkdirSync(join(folder, 'notes'))
  writeFileSync(join(folder, 'README.md'), '')
  return folder
}

describe('readBundles', () => {
  test('reads every bundle of a folder in the order of names, and nothing else', async () => {
    const environments = await readBundles(await shelf())
    expect(environments.map(({ id }) => id)).toEqual(['bank', 'clinic', 'shop'])
    expect(await readBundles(join(temporaryFolder(), 'not-there'))).toEqual([])
  })

  test('reads only those that are named', async () => {
    expect((await readBundles(await shelf(), ['shop'])).map(({ id }) => id)).toEqual(['shop'])
  })

  test('refuses a misspelt name at once, with the nearest one', async () => {
    const folder = await shelf()
    await expect(readBundles(folder, ['shop', 'clinik'])).rejects.toMatchObject({
      code: 'RLENV_USAGE',
      message: `there is no environment "clinik" among the 3 in ${folder}`,
      fix: expect.stringContaining('clinic'),
    })
  })
})
