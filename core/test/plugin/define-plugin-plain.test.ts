import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin } from '../../src/plugin/define-plugin.ts'

const untyped = definePlugin as unknown as (definition: object) => unknown

test.each([
  ['an empty name', { name: ' ', options: z.strictObject({}), setup: () => ({}) }, 'empty name'],
  ['no name', { options: z.strictObject({}), setup: () => ({}) }, 'empty name'],
  ['no options schema', { name: 'x', setup: () => ({}) }, 'the plugin x has no options schema'],
  ['no setup', { name: 'x', options: z.strictObject({}) }, 'the plugin x has no setup'],
])('a plugin with %s is refused where it is defined', (_what, definition, message) => {
  const refused = expect.objectContaining({ code: 'RLENV_PLUGIN_INVALID', message: expect.stringContaining(message) })
  expect(() => untyped(definition)).toThrow(refused)
})
