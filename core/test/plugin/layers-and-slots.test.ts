import { describe, expect, test } from 'vitest'
import type { TaskSampler } from '../../src/hooks/roles.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { hookContext, layer, pipelineOf, pluginOf, rewardContext, slotContext } from './plugin-fixtures.ts'

class CountingSampler implements TaskSampler {
  #drawn = 0
  readonly label: string
  constructor(label: string) {
    this.label = label
  }
  draw(count: number): string[] {
    this.#drawn += count
    if (count > 99) throw new RangeError('too many')
    return Array.from({ length: count }, () => this.label)
  }
  drawn(): number {
    return this.#drawn
  }
  observe(): void {}
  state(): number {
    return this.#drawn
  }
  restore(): void {}
}

const sampler = (name: string) => pluginOf(name, { sampler: () => new CountingSampler(name) })
const context = { ...slotContext(), tasks: [], environments: [] }
const namesOf = (plugins: readonly { readonly name: string }[] | undefined) => plugins?.map(({ name }) => name)

describe('slots', () => {
  test('take the provider of the highest layer and report the one it replaced', async () => {
    const pipeline = await assemblePipeline([
      layer('arena', [sampler('uniform')]),
      layer('rlenv.config.ts', [sampler('adaptive')]),
    ])
    expect((await pipeline.slot('sampler', context)).draw(1)).toEqual(['adaptive'])
    const report = pipeline.report.hooks.find(({ hook }) => hook === 'sampler')
    expect(report).toMatchObject({
      plugins: [{ name: 'adaptive', version: '1.2.3', layer: { index: 1, name: 'rlenv.config.ts' } }],
      replaced: [{ name: 'uniform', layer: { index: 0, name: 'arena' } }],
    })
  })

  test('refuse two providers in one layer, naming both', async () => {
    await expect(pipelineOf([sampler('one'), sampler('two')])).rejects.toMatchObject({
      code: 'RLENV_SLOT_CONFLICT',
      hook: 'sampler',
      message: '2 plugins of test provide sampler: one, two',
    })
  })

  test('build their role anew for every request', async () => {
    const pipeline = await pipelineOf([sampler('one')])
    const [first, second] = [await pipeline.slot('sampler', context), await pipeline.slot('sampler', context)]
    first.draw(3)
    expect([first.state(), second.state()]).toEqual([3, 0])
  })

  test('attribute what a role throws later and keep its other members in reach', async () => {
    const role = (await (await pipelineOf([sampler('one')])).slot('sampler', context)) as CountingSampler
    expect(() => role.draw(100)).toThrow(
      expect.objectContaining({ code: 'RLENV_PLUGIN_FAILED', plugin: 'one', hook: 'sampler.draw' }),
    )
    expect(role.drawn()).toBe(100)
    expect(role.label).toBe('one')
    expect(role).toBeInstanceOf(CountingSampler)
  })
})

test('a frozen role keeps its members', async () => {
  const frozen = Object.freeze({ name: 'still', next: async () => ({ targets: [] }) })
  const pipeline = await pipelineOf([pluginOf('frozen', { curriculum: () => frozen })])
  const role = await pipeline.slot('curriculum', context)
  expect(await role.next({ round: 0, environments: [], judged: [] }, context.signal)).toEqual({ targets: [] })
  expect({ ...role }).toMatchObject({ name: 'still' })
  expect('next' in role).toBe(true)
})

describe('the verifier pair', () => {
  const verifier = (name: string, answers: boolean) =>
    pluginOf(name, {
      verifier: {
        prepare: () => (answers ? { kind: name } : undefined),
        judge: () => undefined,
      },
    })
  const prepare = async (...layers: Parameters<typeof assemblePipeline>[0]) =>
    (await assemblePipeline(layers)).prepareVerifier(rewardContext().task, hookContext() as never)

  test('takes the first answer that is not undefined', async () => {
    expect(await prepare(layer('test', [verifier('a', false), verifier('b', true), verifier('c', true)]))).toEqual({
      kind: 'b',
    })
  })

  test('asks a higher layer first', async () => {
    expect(await prepare(layer('preset', [verifier('preset', true)]), layer('user', [verifier('user', true)]))).toEqual(
      {
        kind: 'user',
      },
    )
  })

  test('says so when nobody can prepare a task', async () => {
    await expect(prepare(layer('test', [verifier('a', false)]))).rejects.toMatchObject({ code: 'RLENV_HOOK_EMPTY' })
  })

  test('refuses a verdict whose parts contradict each other', async () => {
    const judge = () => ({ kind: 'failed', passed: true, score: 0, evidence: [] })
    const pipeline = await pipelineOf([pluginOf('odd', { verifier: { prepare: () => undefined, judge } })])
    await expect(pipeline.judge({} as never, hookContext())).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      hook: 'verifier.judge',
      message: expect.stringContaining('passed: expected false for the kind "failed", got true'),
    })
  })
})

describe('chains over layers', () => {
  const shaper = (name: string, value: number, base: boolean) =>
    pluginOf(name, { rewardShaper: { base, handler: (reward: number) => (base ? value : reward + value) } })

  test('accumulate, but a higher layer’s base replaces a lower one’s and the report says so', async () => {
    const preset = layer('arena', [shaper('ternary', 1, true), shaper('penalty', 0.25, false)])
    const pipeline = await assemblePipeline([preset, layer('rlenv.config.ts', [shaper('hybrid', 10, true)])])
    expect(await pipeline.chain('rewardShaper', 0, rewardContext())).toBe(10.25)
    const report = pipeline.report.hooks.find(({ hook }) => hook === 'rewardShaper')
    expect(namesOf(report?.plugins)).toEqual(['hybrid', 'penalty'])
    expect(namesOf(report?.replaced)).toEqual(['ternary'])
  })

  test('refuse two bases in one layer', async () => {
    await expect(pipelineOf([shaper('ternary', 1, true), shaper('hybrid', 1, true)])).rejects.toMatchObject({
      code: 'RLENV_SLOT_CONFLICT',
      message: '2 plugins of test provide rewardShaper: ternary, hybrid',
    })
  })

  test('keep the place of a plugin that a higher layer lists again', async () => {
    const preset = layer('preset', [shaper('a', 1, false), shaper('b', 2, false)])
    const pipeline = await assemblePipeline([preset, layer('user', [shaper('a', 5, false)])])
    expect(namesOf(pipeline.report.hooks.find(({ hook }) => hook === 'rewardShaper')?.plugins)).toEqual(['a', 'b'])
    expect(await pipeline.chain('rewardShaper', 0, rewardContext())).toBe(7)
  })
})

describe('layers', () => {
  test('refuse a plugin that is listed twice', async () => {
    await expect(pipelineOf([sampler('one'), sampler('one')])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      message: 'test lists the plugin one twice',
    })
  })

  test('leave out what a higher layer names in without', async () => {
    const layers = [layer('preset', [sampler('one')]), layer('user', [], ['one'])]
    const pipeline = await assemblePipeline(layers, { command: 'train' })
    expect(pipeline.has('sampler')).toBe(false)
    expect(() => pipeline.require(['sampler'])).toThrow(
      expect.objectContaining({
        code: 'RLENV_HOOK_EMPTY',
        message:
          'nothing fills sampler, which "rlenv train" needs; no longer there: one (left out by "without" in user)',
        fix: 'Take "one" out of "without", or add a plugin for sampler to "plugins", for example @rlenv/sampler-uniform.',
      }),
    )
  })

  test('name every empty hook point at once', async () => {
    const pipeline = await pipelineOf([sampler('one')], { command: 'train' })
    expect(() => pipeline.require(['sampler', 'learner', 'algorithm'])).toThrow(
      'nothing fills learner, algorithm, which "rlenv train" needs',
    )
    expect(() => pipeline.require(['sampler'])).not.toThrow()
  })

  test('refuse an unknown name in without with the one that was meant', async () => {
    const layers = [layer('preset', [sampler('@rlenv/sampler-uniform')]), layer('user', [], ['sampler-unifrom'])]
    await expect(assemblePipeline(layers)).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      fix: 'Did you mean "@rlenv/sampler-uniform"?',
    })
  })

  test('list producers with resolved options for artefact keys', async () => {
    expect((await pipelineOf([sampler('one')])).producers('sampler')).toEqual([
      { name: 'one', version: '1.2.3', options: {} },
    ])
  })
})
