import { type ConfigFunction, defineConfig, type RlenvConfig } from 'rlenv'
import { expectTypeOf, test } from 'vitest'

test('defineConfig takes an object, a function, and an async function', () => {
  expectTypeOf(
    defineConfig({ seed: 7, plugins: [false, 'rlenv-plugin-x', ['rlenv-plugin-y', { n: 1 }]] }),
  ).toEqualTypeOf<RlenvConfig>()
  expectTypeOf(defineConfig(({ command }) => ({ name: command }))).toEqualTypeOf<ConfigFunction>()
  expectTypeOf(defineConfig(async ({ command }) => ({ name: command }))).toEqualTypeOf<ConfigFunction>()
})

test('a misspelt key or a wrong type is an error', () => {
  // @ts-expect-error tasksPerStep
  defineConfig({ training: { taskPerStep: 4 } })
  // @ts-expect-error a number
  defineConfig({ seed: '7' })
  // @ts-expect-error true is no plugin
  defineConfig({ plugins: [true] })
  // @ts-expect-error a number
  defineConfig(() => ({ seed: '7' }))
})
