import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RlenvCommand } from '../../src/cli/rlenv-command.ts'

/** A command that runs what a plugin with a banner and a chatty dependency does. */
class Chatty extends RlenvCommand {
  static override id = 'chatty'

  async run(): Promise<object> {
    await this.parse(Chatty)
    process.stdout.write('banner of a plugin\n')
    await new Promise((resolve) => setImmediate(resolve))
    process.stdout.write('line of its dependency\n')
    if (this.argv.includes('--stack')) throw new Error('boom')
    return { status: 'done' }
  }
}

const printed = { stdout: '', stderr: '' }
const root = join(import.meta.dirname, '../..')

beforeEach(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    printed[name] = ''
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    })
  }
  // As Node does; the test runner takes these lines for itself.
  vi.spyOn(console, 'log').mockImplementation((text) => void process.stdout.write(`${text}\n`))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

test('with --json, what plugins print goes to stderr, and stdout is the document alone', async () => {
  await Chatty.run(['--json'], root)
  expect(JSON.parse(printed.stdout)).toEqual({ status: 'done' })
  expect(printed.stderr).toBe('banner of a plugin\nline of its dependency\n')
})

test('with --json, the document of a failure is alone as well', async () => {
  await Chatty.run(['--json', '--stack'], root)
  expect(JSON.parse(printed.stdout)).toMatchObject({ status: 'failed', error: { message: 'boom' } })
  expect(printed.stderr).toContain('line of its dependency')
})

test('with --json, what is printed after the document goes to stderr as well', async () => {
  await Chatty.run(['--json'], root)
  process.stdout.write('a timer that nobody stopped\n')
  expect(JSON.parse(printed.stdout)).toEqual({ status: 'done' })
  expect(printed.stderr).toContain('a timer that nobody stopped\n')
})

test('without --json, stdout is left as it is', async () => {
  await Chatty.run([], root)
  expect(printed.stdout).toBe('banner of a plugin\nline of its dependency\n')
})
