import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { resolveConfig } from '../../src/config/resolve-config.ts'
import type { RlenvConfig } from '../../src/config/rlenv-config.ts'
import { definePlugin } from '../../src/plugin/define-plugin.ts'

const windowed = definePlugin({
  name: '@rlenv/sampler-window',
  options: z.strictObject({ window: z.int().default(4), label: z.string().default('') }),
  setup: () => ({}),
})

const resolve = (config: unknown, set: readonly string[] = []) =>
  resolveConfig(config as RlenvConfig, { command: 'train', set })

describe('resolveConfig', () => {
  test.each(['constructor.prototype.x', '__proto__.x', 'toString'])(
    'takes --set %s for an unknown key',
    async (path) => {
      const key = path.split('.')[0] ?? ''
      await expect(resolve({}, [`${path}=1`])).rejects.toMatchObject({
        code: 'RLENV_CONFIG_INVALID',
        message: `--set: ${key}: unknown key`,
        fix: expect.stringContaining('Known keys'),
      })
    },
  )

  test('fills in every default', async () => {
    const { config } = await resolve({})
    expect(config.training).toMatchObject({
      steps: 96,
      tasksPerStep: 64,
      rolloutsPerTask: 16,
      optimizerStepsPerStep: 1,
    })
    expect(config).toMatchObject({ name: 'run', seed: 0, file: null })
  })

  test('lets higher layers win setting by setting and remembers who set what', async () => {
    const preset = { name: 'arena', training: { steps: 10, tasksPerStep: 8 } }
    const { config, origins } = await resolve({ extends: preset, training: { steps: 20 } }, ['seed=7'])
    expect(config.training).toMatchObject({ steps: 20, tasksPerStep: 8, rolloutsPerTask: 16 })
    expect(config.name).toBe('arena')
    expect(origins['training.steps']).toEqual({ index: 2, name: 'config' })
    expect(origins['training.tasksPerStep']).toEqual({ index: 1, name: 'arena' })
    expect(origins['training.rolloutsPerTask']).toEqual({ index: 0, name: 'core' })
    expect(origins.seed).toEqual({ index: 3, name: '--set' })
  })

  test('takes undefined for a key that was left out', async () => {
    const { config } = await resolve({ seed: undefined, training: { steps: undefined } })
    expect(config).toMatchObject({ seed: 0, training: { steps: 96 } })
  })

  test('orders several extended configurations from weakest to strongest and visits a shared one once', async () => {
    const base = { name: 'base', seed: 1 }
    const left = { name: 'left', extends: base, seed: 2 }
    const right = { name: 'right', extends: base }
    const { layers, config } = await resolve({ extends: [left, right] })
    expect(layers.map(({ name }) => name)).toEqual(['core', 'base', 'left', 'right', 'config'])
    expect(config.seed).toBe(2)
  })

  test('gives the command to a configuration in function form, synchronous or not', async () => {
    const sync = await resolve(({ command }: { command: string }) => ({ name: command }))
    const later = await resolve(async ({ command }: { command: string }) => ({ name: command }))
    expect([sync.config.name, later.config.name]).toEqual(['train', 'train'])
  })

  test('refuses to write the rollouts of no step', async () => {
    expect((await resolve({})).config.output).toEqual({ directory: 'outputs', tracesEverySteps: 1 })
    await expect(resolve({ output: { tracesEverySteps: 0 } })).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: expect.stringContaining('output.tracesEverySteps'),
    })
  })

  test('names the known key for one that is unknown', async () => {
    await expect(resolve({ training: { rolloutPerTask: 4 } })).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: 'config: training.rolloutPerTask: unknown key',
      fix: 'Did you mean "rolloutsPerTask"?',
    })
  })

  test('names the new place of a renamed or misplaced key', async () => {
    await expect(resolve({ rollout: { groupSize: 4 } })).rejects.toMatchObject({
      message: 'config: rollout.groupSize: unknown key; here it is called "training.rolloutsPerTask"',
      fix: 'Write "training.rolloutsPerTask" instead of "rollout.groupSize" in config.',
    })
    await expect(resolve({ tasksPerStep: 4 })).rejects.toMatchObject({
      fix: 'Write "training.tasksPerStep" instead of "tasksPerStep" in config.',
    })
  })

  test('names path, type and value of a setting that does not fit', async () => {
    await expect(resolve({ training: { steps: 'ten' } })).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: 'config: training.steps: expected number, received string (got "ten")',
    })
    await expect(resolve({ plugins: [true] })).rejects.toMatchObject({
      message: 'config: plugins[0]: expected a plugin, a package name, or [name, options] (got true)',
    })
    await expect(resolve({ extends: [3] })).rejects.toMatchObject({
      message: 'config: extends[0]: expected a configuration or its path (got 3)',
    })
    await expect(resolve({ extends: 3 })).rejects.toMatchObject({
      message: 'config: extends: expected a configuration or its path (got 3)',
    })
  })

  test('prints the circle of configurations that extend each other', async () => {
    const first: Record<string, unknown> = { name: 'first' }
    const second = { name: 'second', extends: first }
    first.extends = second
    await expect(resolve({ extends: first })).rejects.toMatchObject({
      code: 'RLENV_CONFIG_CYCLE',
      message: 'configurations extend each other in a circle: first → second → first',
    })
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['number', 3],
    ['undefined', undefined],
  ])('refuses %s as a configuration', async (kind, exported) => {
    await expect(resolve(exported)).rejects.toMatchObject({
      code: 'RLENV_CONFIG_FAILED',
      message: `config exports ${kind}, not a configuration`,
    })
  })

  test('skips falsy plugin entries and refuses a factory that was not called', async () => {
    const { layers } = await resolve({ plugins: [false, null, undefined, windowed()] })
    expect(layers.at(-1)?.plugins.map(({ name }) => name)).toEqual(['@rlenv/sampler-window'])
    await expect(resolve({ plugins: [windowed] })).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      fix: 'Call it: write "()" behind its name in "plugins".',
    })
  })

  test('refuses a group of one and says why', async () => {
    await expect(resolve({ training: { rolloutsPerTask: 1 } })).rejects.toMatchObject({
      code: 'RLENV_GROUP_TOO_SMALL',
      message: expect.stringContaining('a group of one always has advantage 0'),
    })
  })
})

describe('--set', () => {
  test('reads a value as JSON when it is JSON and as text otherwise', async () => {
    const { config } = await resolve({}, [
      'training.steps=3',
      'rollout.maxTokens=null',
      'name=abc',
      'evaluation.greedy=false',
    ])
    expect(config).toMatchObject({ name: 'abc', training: { steps: 3 }, rollout: { maxTokens: null } })
    expect(config.evaluation.greedy).toBe(false)
  })

  test('keeps a number as text where text is wanted', async () => {
    expect((await resolve({}, ['name=7'])).config.name).toBe('7')
  })

  test('reports a wrong type with its path', async () => {
    await expect(resolve({}, ['training.steps=abc'])).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: '--set: training.steps: expected number, received string (got "abc")',
    })
    await expect(resolve({}, ['training.stepz=1'])).rejects.toMatchObject({ fix: 'Did you mean "steps"?' })
  })

  test.each(['steps', '=3', 'a..b=1', ''])('refuses %j as no assignment', async (word) => {
    await expect(resolve({}, [word])).rejects.toMatchObject({ code: 'RLENV_USAGE' })
  })

  test('never reaches a prototype', async () => {
    await expect(resolve({}, ['__proto__.polluted=1'])).rejects.toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('changes options of a plugin of any layer, by full or short name', async () => {
    const preset = { name: 'preset', plugins: [windowed({ window: 2 })] }
    const { layers } = await resolve({ extends: preset }, [
      'plugins.@rlenv/sampler-window.window=9',
      'plugins.sampler-window.label=7',
    ])
    const changed = layers.at(-1)?.plugins[0]
    expect(changed?.resolveOptions()).toEqual({ window: 9, label: '7' })
  })

  test('suggests the plugin that was meant', async () => {
    const config = { plugins: [windowed()] }
    await expect(resolve(config, ['plugins.sampler-windw.window=9'])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      fix: 'Did you mean "@rlenv/sampler-window"?',
    })
  })

  test('leaves out a plugin with without', async () => {
    const { layers } = await resolve({ plugins: [windowed()] }, ['without=["@rlenv/sampler-window"]'])
    expect(layers.at(-1)?.without).toEqual(['@rlenv/sampler-window'])
  })
})
