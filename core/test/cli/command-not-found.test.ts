import type { Config } from '@oclif/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import commandNotFound from '../../src/cli/hooks/command-not-found.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

async function answerTo(id: string): Promise<unknown> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const config = { commandIDs: ['eval', 'synth', 'train'] } as Config
  await Reflect.apply(commandNotFound, null, [{ id, argv: ['--json'], config }])
  expect(process.exitCode).toBe(2)
  return JSON.parse(String(print.mock.calls[0]?.[0])).error
}

describe('a word that is no command', () => {
  test('is answered with the one it is near to', async () => {
    expect(await answerTo('trian')).toMatchObject({
      message: 'there is no command "trian"',
      fix: 'Did you mean "train"?',
    })
  })

  test('after a command that takes none is answered as a stray word of that command', async () => {
    expect(await answerTo('eval:some:folder')).toMatchObject({
      code: 'RLENV_USAGE',
      message: 'rlenv eval takes no words besides flags, and got "some folder"',
    })
  })
})
