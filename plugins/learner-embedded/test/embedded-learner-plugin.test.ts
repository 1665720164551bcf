import { expect, test } from 'vitest'
import { embeddedLearner } from '../src/index.ts'
import { defaultSettings } from './default-settings.ts'

test('fills in the documented defaults', () => {
  const { cacheBytes, beta1, beta2, epsilon, ...settings } = defaultSettings
  expect(embeddedLearner().resolveOptions()).toEqual({
    ...settings,
    optimizer: { beta1, beta2, epsilon },
    cacheMib: cacheBytes / 2 ** 20,
  })
})

test.each([
  [{ weights: 100_000 }, /power of two/],
  [{ learningRate: 0 }, /learningRate/],
  [{ optimizer: { beta1: 1 } }, /beta1/],
  [{ lexicalRate: 0.1 }, /lexicalRate/],
])('refuses the options %j', (options, what) => {
  const plugin = embeddedLearner(options as never)
  expect(() => plugin.resolveOptions()).toThrow(
    expect.objectContaining({ code: 'RLENV_PLUGIN_OPTIONS', message: expect.stringMatching(what) }),
  )
})
