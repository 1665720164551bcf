import { definePlugin, type Plugin, type PluginFactory, secretSchema } from 'rlenv'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface WindowOptions {
  /** How many groups count. Default 4. */
  readonly window?: number
}

test('options are optional only when every field has a default', () => {
  const allDefaults = definePlugin({ name: 'a', options: z.object({ n: z.number().default(1) }), setup: () => ({}) })
  expectTypeOf(allDefaults).toEqualTypeOf<(options?: { n?: number | undefined }) => Plugin>()
  const required = definePlugin({ name: 'b', options: z.object({ n: z.number() }), setup: () => ({}) })
  expectTypeOf(required).toEqualTypeOf<(options: { n: number }) => Plugin>()
  // @ts-expect-error n has no default
  required()
  const none = definePlugin({ name: 'n', options: z.strictObject({}), setup: () => ({}) })
  expectTypeOf(none()).toEqualTypeOf<Plugin>()
  // @ts-expect-error it has no option
  none({ n: 1 })
  const typed: PluginFactory<Record<never, never>> = none
  typed()
})

test('a plugin without options needs no schema', () => {
  const bare = definePlugin({
    name: 'bare',
    setup: (options, context) => {
      expectTypeOf(options).toEqualTypeOf<Record<string, never>>()
      context.log('set up')
      return { rewardShaper: (reward) => reward }
    },
  })
  expectTypeOf(bare()).toEqualTypeOf<Plugin>()
  // @ts-expect-error it has no option
  bare({ n: 1 })
  const typed: PluginFactory<Record<never, never>> = bare
  typed()
  // @ts-expect-error rewardShaper returns a number
  definePlugin({ name: 'c', setup: () => ({ rewardShaper: () => 'high' }) })
  // @ts-expect-error it is called rewardShaper
  definePlugin({ name: 'e', setup: () => ({ rewardShapr: () => 1 }) })
})

test('a factory is typed by a named interface, so that its comments reach the editor', () => {
  const windowed: PluginFactory<WindowOptions> = definePlugin({
    name: 'windowed',
    options: z.strictObject({ window: z.int().default(4) }),
    setup: (options) => {
      expectTypeOf(options.window).toEqualTypeOf<number>()
      return {}
    },
  })
  windowed()
  windowed({ window: 6 })
  // @ts-expect-error misspelt option
  windowed({ windw: 6 })
  // @ts-expect-error an interface that asks for less than the schema does not fit
  const loose: PluginFactory<{ readonly size?: string }> = definePlugin({
    name: 'loose',
    options: z.strictObject({ size: z.number().default(1) }),
    setup: () => ({}),
  })
  expectTypeOf(loose).toBeFunction()
})

test('handlers are typed by the hook they fill', () => {
  definePlugin({
    name: 'typed',
    options: z.strictObject({}),
    setup: () => ({
      rewardShaper: (reward, { judged, random }) => {
        expectTypeOf(reward).toEqualTypeOf<number>()
        return judged.verdict?.passed === true ? reward + random.real() : reward
      },
      scenarioSource: { order: 'pre', handler: (scenarios) => scenarios.filter((scenario) => scenario.name !== '') },
      dbMiner: { base: true, handler: async (database) => ({ ...database, data: '' }) },
    }),
  })
})

test('setup may be asynchronous and read secrets', () => {
  const keyed = definePlugin({
    name: 'keyed',
    options: z.strictObject({ apiKey: secretSchema }),
    setup: async (options, context) => {
      expectTypeOf(context.secret(options.apiKey)).toEqualTypeOf<string>()
      return { watch: () => undefined }
    },
  })
  // @ts-expect-error a secret is a reference, never text
  keyed({ apiKey: 'sk-1' })
})

test('a handler with the wrong return type is an error', () => {
  // @ts-expect-error rewardShaper returns a number
  definePlugin({ name: 'c', options: z.object({}), setup: () => ({ rewardShaper: () => 'high' }) })
  // @ts-expect-error a chain returns a value
  definePlugin({ name: 'd', options: z.object({}), setup: () => ({ groups: () => undefined }) })
})

test('a hook point that does not exist is an error', () => {
  // @ts-expect-error it is called rewardShaper
  definePlugin({ name: 'e', options: z.object({}), setup: () => ({ rewardShapr: () => 1 }) })
  // @ts-expect-error also beside one that exists
  definePlugin({ name: 'f', options: z.object({}), setup: () => ({ rewardShaper: () => 1, rewardShapr: () => 1 }) })
})

test('a watcher carries no value', () => {
  // @ts-expect-error nobody would see what it returns
  definePlugin({ name: 'g', options: z.object({}), setup: () => ({ watch: () => 'seen' }) })
})

test('an order that does not exist is an error', () => {
  const last = () => 1
  // @ts-expect-error pre or post
  definePlugin({ name: 'h', options: z.object({}), setup: () => ({ rewardShaper: { order: 'last', handler: last } }) })
})
