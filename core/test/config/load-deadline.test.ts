import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resolveConfig } from '../../src/config/resolve-config.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['a function that never returns what it promised', () => new Promise<never>(() => {})],
  ['a promise that never settles', new Promise<never>(() => {})],
])('%s is an error after a while, and the process lives until then', async (_what, config) => {
  const resolving = resolveConfig(config as never, { command: 'train' })
  const refusal = expect(resolving).rejects.toMatchObject({
    code: 'RLENV_CONFIG_FAILED',
    message: 'config has not loaded after 60 s: it waits for a promise that does not settle',
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  await refusal
})

test('a configuration that has loaded leaves no timer behind', async () => {
  await resolveConfig(async () => ({ seed: 3 }), { command: 'train' })
  await expect(resolveConfig(async () => Promise.reject(new Error('boom')), { command: 'train' })).rejects.toThrow(
    'boom',
  )
  expect(vi.getTimerCount()).toBe(0)
})
