import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin } from '../../src/plugin/define-plugin.ts'

const untyped = definePlugin as unknown as (definition: object) => unknown

test.each([
  ['an empty name', { name: ' ', options: z.strictObject({}), setup: () => ({}) }, 'empty name'],
  ['no name', { options: z.strictObject({}), setup: () => ({}) }, 'empty name'],
  ['options that are no schema', { name: 'x', options: {}, setup: () => ({}) }, 'options of the plugin x are no zod'],
  ['null for options', { name: 'x', options: null, setup: () => ({}) }, 'options of the plugin x are no zod'],
  ['no setup', { name: 'x', options: z.strictObject({}) }, 'the plugin x has no setup'],
])('a plugin with %s is refused where it is defined', (_what, definition, message) => {
  const refused = expect.objectContaining({ code: 'RLENV_PLUGIN_INVALID', message: expect.stringContaining(message) })
  expect(() => untyped(definition)).toThrow(refused)
})

test('a plugin without options takes none', () => {
  const bare = definePlugin({ name: 'bare', setup: () => ({ watch: () => undefined }) })
  expect(bare().resolveOptions()).toEqual({})
  const given = (bare as unknown as (options: object) => ReturnType<typeof bare>)({ window: 4 })
  const refused = expect.objectContaining({
    code: 'RLENV_PLUGIN_OPTIONS',
    message: 'the options of bare do not fit: window: unknown key',
  })
  expect(() => given.resolveOptions()).toThrow(refused)
})
