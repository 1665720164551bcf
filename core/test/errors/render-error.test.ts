import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../src/errors/exit-code.ts'
import { fromFileError } from '../../src/errors/file-error.ts'
import { renderError } from '../../src/errors/render-error.ts'
import { RlenvError } from '../../src/errors/rlenv-error.ts'

const systemError = (code: string) => Object.assign(new Error(`${code}: it did not work`), { code })

describe('renderError', () => {
  test('prints message, fix, plugin, hook, the chain of causes and the code', () => {
    const root = new TypeError('no rows')
    const cause = new Error('query failed\nin table users', { cause: root })
    const error = new RlenvError('miner failed in dbMiner: query failed', {
      code: 'RLENV_PLUGIN_FAILED',
      fix: 'Repair what the cause names.',
      plugin: 'miner',
      hook: 'dbMiner',
      cause,
    })
    expect(renderError(error)).toMatchInlineSnapshot(`
      " ✖ miner failed in dbMiner: query failed
         fix     Repair what the cause names.
         plugin  miner
         hook    dbMiner
         cause   Error: query failed
                 in table users
         cause   TypeError: no rows
         code    RLENV_PLUGIN_FAILED: a plugin threw inside a hook"
    `)
  })

  test('leaves out what an error does not have', () => {
    const error = new RlenvError('no config', { code: 'RLENV_CONFIG_NOT_FOUND' })
    expect(renderError(error)).toBe(
      ' ✖ no config\n   code    RLENV_CONFIG_NOT_FOUND: no configuration file was found, or the named one does not exist',
    )
  })

  test('prints the place of an error that nobody foresaw, and its stack on request', () => {
    const error = new TypeError('x is not a function')
    expect(renderError(error)).toMatch(/^ ✖ TypeError: x is not a function\n {3}at {6}.*render-error\.test\.ts/)
    expect(renderError(error)).not.toContain('\n     at ')
    expect(renderError(error, { stack: true })).toContain('\n     at ')
  })

  test('ends when causes run in a circle, and prints thrown values that are no errors', () => {
    const first = new Error('first')
    const second = new Error('second', { cause: first })
    first.cause = second
    expect(renderError(first).match(/cause/g)).toHaveLength(2)
    expect(renderError('just text')).toContain(' ✖ just text')
  })
})

describe('exitCodeOf', () => {
  test.each([
    [new RlenvError('a', { code: 'RLENV_CONFIG_INVALID' }), 2],
    [new RlenvError('a', { code: 'RLENV_DATABASE_INVALID' }), 3],
    [new RlenvError('a', { code: 'RLENV_FAILURE_SHARE' }), 4],
    [new RlenvError('a', { code: 'RLENV_INTERRUPTED' }), 130],
    [new DOMException('stopped', 'AbortError'), 130],
    [new Error('a'), 1],
    ['text', 1],
    [undefined, 1],
  ])('of %s is %i', (thrown, code) => {
    expect(exitCodeOf(thrown)).toBe(code)
  })
})

describe('fromFileError', () => {
  test.each([
    ['ENOSPC', 'RLENV_DISK_FULL'],
    ['EDQUOT', 'RLENV_DISK_FULL'],
    ['EACCES', 'RLENV_OUTPUT_UNWRITABLE'],
    ['EROFS', 'RLENV_OUTPUT_UNWRITABLE'],
    ['EPERM', 'RLENV_OUTPUT_UNWRITABLE'],
  ])('turns %s into %s with the path and the cause', (system, code) => {
    const cause = systemError(system)
    expect(fromFileError(cause, '/out/traces.jsonl')).toMatchObject({
      code,
      cause,
      message: expect.stringContaining('/out/traces.jsonl'),
      fix: expect.any(String),
    })
  })

  test('gives anything else back as it is', () => {
    const other = systemError('EMFILE')
    expect(fromFileError(other, '/out')).toBe(other)
    expect(fromFileError('text', '/out')).toBe('text')
  })
})
