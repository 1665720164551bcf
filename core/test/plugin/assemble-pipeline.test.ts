import { describe, expect, test } from 'vitest'
import { RlenvError } from '../../src/errors/rlenv-error.ts'
import type { RewardContext } from '../../src/hooks/contexts.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { SecretVault } from '../../src/plugin/secrets.ts'
import {
  layer,
  pipelineOf,
  pluginOf,
  rewardContext,
  scenarioContext,
  scenarioOf,
  slotContext,
} from './plugin-fixtures.ts'

const adds = (name: string, amount: number, placement: object = {}) =>
  pluginOf(name, { rewardShaper: { ...placement, handler: (reward: number) => reward * 10 + amount } })

const shape = async (...plugins: Parameters<typeof pipelineOf>[0]) =>
  (await pipelineOf(plugins)).chain('rewardShaper', 0, rewardContext())

describe('a chain', () => {
  test('hands each plugin the result of the one before, in the order of the list', async () => {
    expect(await shape(adds('a', 1), adds('b', 2), adds('c', 3))).toBe(123)
  })

  test('returns its input when nobody is tapped', async () => {
    expect(await shape()).toBe(0)
  })

  test('awaits an async function before the next plugin runs', async () => {
    const slow = pluginOf('slow', {
      rewardShaper: async (reward: number) => {
        await new Promise((resolve) => setTimeout(resolve, 2))
        return reward + 4
      },
    })
    expect(await shape(slow, adds('after', 1))).toBe(41)
  })

  test('runs the base first, then pre, normal and post', async () => {
    const plugins = [
      adds('post', 4, { order: 'post' }),
      adds('normal', 3),
      adds('pre', 2, { order: 'pre' }),
      adds('base', 1, { base: true }),
    ]
    expect(await shape(...plugins)).toBe(1234)
  })

  test('runs a plugin before the one it names, also against the order of the list and of stages', async () => {
    expect(await shape(adds('a', 1), adds('b', 2, { before: 'a' }))).toBe(21)
    expect(
      await shape(adds('a', 1, { order: 'pre' }), adds('b', 2, { before: 'a' }), adds('c', 3, { before: 'b' })),
    ).toBe(321)
  })

  test('refuses an unknown neighbour with the one that was meant', async () => {
    await expect(pipelineOf([adds('sampler-a', 1), adds('b', 2, { before: 'smapler-a' })])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      plugin: 'b',
      hook: 'rewardShaper',
      message: 'b wants to run before "smapler-a" in rewardShaper, but there are sampler-a',
      fix: 'Did you mean "sampler-a"?',
    })
  })

  test('refuses neighbours that each want to be first', async () => {
    const plugins = [adds('a', 1, { before: 'b' }), adds('b', 2, { before: 'a' })]
    await expect(pipelineOf(plugins)).rejects.toMatchObject({
      message: expect.stringContaining('a, b each want to run before'),
    })
  })

  test.each([undefined, null])('names the plugin that returned %s', async (nothing) => {
    await expect(shape(adds('a', 1), pluginOf('forgetful', { rewardShaper: () => nothing }))).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_NOTHING',
      plugin: 'forgetful',
      hook: 'rewardShaper',
      message: `forgetful returned ${nothing} from rewardShaper`,
    })
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 'high', {}])('refuses the reward %s', async (reward) => {
    await expect(shape(pluginOf('odd', { rewardShaper: () => reward }))).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      plugin: 'odd',
      message: expect.stringContaining(`expected a finite number, got ${String(reward)}`),
    })
  })

  test('names the path inside a value that does not fit', async () => {
    const pipeline = await pipelineOf([
      pluginOf('loose', { scenarioSource: () => [scenarioOf('fine'), { ...scenarioOf('two'), id: 'Not Kebab' }] }),
    ])
    await expect(pipeline.chain('scenarioSource', [], scenarioContext())).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      plugin: 'loose',
      hook: 'scenarioSource',
      message: expect.stringContaining('[1].id: lower-case letters, digits and hyphens, at most 80 (got "Not Kebab")'),
    })
  })

  test('refuses an id that is used twice', async () => {
    const pipeline = await pipelineOf([pluginOf('twice', { scenarioSource: () => [scenarioOf('a'), scenarioOf('a')] })])
    await expect(pipeline.chain('scenarioSource', [], scenarioContext())).rejects.toMatchObject({
      message: expect.stringContaining('[1].id: this value is taken already (got "a")'),
    })
  })

  test.each([
    ['no list', {}],
    ['no group', [{ drawId: 'd1' }]],
  ])('refuses groups that are %s', async (_, groups) => {
    const pipeline = await pipelineOf([pluginOf('odd', { groups: () => groups })])
    const context = { ...scenarioContext(), step: 0, policyVersion: 0, learnerVersion: 0, metric: () => undefined }
    await expect(pipeline.chain('groups', [], context)).rejects.toMatchObject({ code: 'RLENV_PLUGIN_RETURNED_INVALID' })
  })

  test('gives each plugin a random stream of its own that others cannot shift', async () => {
    const draws: Record<string, number> = {}
    const drawing = (name: string, count: number) =>
      pluginOf(name, {
        rewardShaper: (reward: number, { random }: RewardContext) => {
          for (let i = 0; i < count; i++) draws[name] = random.uint32()
          return reward
        },
      })
    await shape(drawing('a', 1), drawing('b', 1))
    const alone = draws.b
    expect(draws.a).not.toBe(draws.b)
    await shape(drawing('a', 5), drawing('b', 1))
    expect(draws.b).toBe(alone)
  })
})

describe('attribution', () => {
  test('names plugin and hook of a plain error and keeps it as the cause', async () => {
    const cause = new TypeError('boom')
    const throws = pluginOf('broken', {
      rewardShaper: () => {
        throw cause
      },
    })
    await expect(shape(throws)).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_FAILED',
      plugin: 'broken',
      hook: 'rewardShaper',
      message: 'broken failed in rewardShaper: boom',
      cause,
    })
  })

  test('keeps code, fix and stack of an error that has a code', async () => {
    const own = new RlenvError('the file is damaged', { code: 'RLENV_FILE_INVALID', fix: 'Delete it.' })
    const throws = pluginOf('reader', { rewardShaper: () => Promise.reject(own) })
    await expect(shape(throws)).rejects.toMatchObject({
      code: 'RLENV_FILE_INVALID',
      fix: 'Delete it.',
      plugin: 'reader',
      hook: 'rewardShaper',
      stack: own.stack,
    })
  })

  test('names the plugin whose setup failed', async () => {
    const throws = pluginOf('unready', () => {
      throw new Error('no port')
    })
    await expect(pipelineOf([throws])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_FAILED',
      plugin: 'unready',
      hook: 'setup',
    })
  })

  test('times every call', async () => {
    const pipeline = await pipelineOf([adds('a', 1)])
    await pipeline.chain('rewardShaper', 0, rewardContext())
    await pipeline.chain('rewardShaper', 0, rewardContext())
    expect(pipeline.timings()).toContainEqual({
      plugin: 'a',
      hook: 'rewardShaper',
      calls: 2,
      totalMs: expect.any(Number),
      maxMs: expect.any(Number),
    })
  })

  test('passes plugins’ log lines on under their names, without the secrets that they read', async () => {
    const secrets = new SecretVault({ RLENV_TEST_KEY: 'sk-very-secret' })
    const lines: string[] = []
    const talks = pluginOf('talks', (context: { log(text: string): void; secret(r: object): string }) => {
      context.log(`key ${context.secret({ $env: 'RLENV_TEST_KEY' })}`)
      return {
        rewardShaper(reward: number, { log }: RewardContext) {
          log('shaping with sk-very-secret')
          return reward
        },
      }
    })
    const pipeline = await pipelineOf([talks], {
      secrets,
      log: (plugin, message) => lines.push(`${plugin}: ${message}`),
    })
    await pipeline.chain('rewardShaper', 0, rewardContext())
    expect(lines).toEqual(['talks: key [secret RLENV_TEST_KEY]', 'talks: shaping with [secret RLENV_TEST_KEY]'])
  })

  test('names the environment variable of a missing secret', async () => {
    const asks = pluginOf('asks', (context: { secret(r: object): string }) => {
      context.secret({ $env: 'RLENV_TEST_UNSET' })
      return {}
    })
    await expect(pipelineOf([asks])).rejects.toMatchObject({
      code: 'RLENV_SECRET_MISSING',
      plugin: 'asks',
      fix: 'Set RLENV_TEST_UNSET in the environment of the command.',
    })
  })
})

describe('setup', () => {
  const one = () => 1

  test('refuses a hook point that does not exist with the one that was meant', async () => {
    await expect(pipelineOf([pluginOf('typo', { rewardShapr: () => 1 })])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      plugin: 'typo',
      message: 'typo fills "rewardShapr", which is no hook point',
      fix: 'Did you mean "rewardShaper"?',
    })
  })

  test.each([
    ['nothing', undefined],
    ['a handler that is no function', { rewardShaper: 3 }],
    ['a slot that is no function', { sampler: {} }],
    ['half a verifier', { verifier: { judge: () => undefined } }],
    ['an order that does not exist', { rewardShaper: { order: 'first', handler: one } }],
    ['a base with an order', { rewardShaper: { base: true, order: 'pre', handler: one } }],
  ])('refuses %s', async (_, hooks) => {
    await expect(pipelineOf([pluginOf('odd', hooks)])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      plugin: 'odd',
    })
  })

  test('checks all options before any plugin is set up', async () => {
    let started = false
    const first = pluginOf('first', () => {
      started = true
      return {}
    })
    const second = pluginOf('second', {}).withOptions?.({ extra: 1 })
    await expect(assemblePipeline([layer('test', [first, ...(second ? [second] : [])])])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_OPTIONS',
      plugin: 'second',
      message: expect.stringContaining('extra: unknown key'),
    })
    expect(started).toBe(false)
  })

  test('refuses a slot role that lacks methods, naming them', async () => {
    const pipeline = await pipelineOf([pluginOf('half', { sampler: () => ({ draw: () => [], observe() {} }) })])
    await expect(pipeline.slot('sampler', { ...slotContext(), tasks: [], environments: [] })).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      plugin: 'half',
      message: 'half provides a sampler without state(), restore()',
    })
  })
})
