import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { armLayer } from '../../src/ablation/arm-layer.ts'
import { planFrom } from '../../src/ablation/plan-from.ts'
import { swapMatrix } from '../../src/ablation/swap-matrix.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { tinyPlugin } from '../../src/testing/tiny-plugin.ts'

function plugin(name: string, hooks: PluginHooks) {
  return { ...tinyPlugin({ hooks }), name }
}

const base = () =>
  assemblePipeline([
    {
      name: 'base',
      plugins: [
        plugin('mine', { groups: (groups) => groups }),
        plugin('@rlenv/groups-filter', { groups: (groups) => groups }),
      ],
    },
  ])

const layerOf = async (...words: string[]) => armLayer(swapMatrix(words)[0]!, await base())

describe('armLayer', () => {
  test('puts named plugins in the place of all that fill the hook point', async () => {
    const { overlay, set } = await layerOf('groups=replay')
    expect(overlay).toMatchObject({ plugins: ['@rlenv/groups-replay'], without: ['mine', '@rlenv/groups-filter'] })
    expect(set).toEqual([])
  })

  test('leaves a plugin where it is that the arm asks for again', async () => {
    expect((await layerOf('groups=replay+filter')).overlay.without).toEqual(['mine'])
  })

  test('none keeps every group', async () => {
    const { overlay } = await layerOf('groups=none')
    expect(overlay.plugins).toMatchObject([{ name: 'rlenv/keep-all-groups' }])
  })

  test('knows shapers by their usual name, and packages by theirs', async () => {
    expect((await layerOf('rewardShaper=hybrid')).overlay.plugins).toEqual(['@rlenv/shaper-hybrid'])
    expect((await layerOf('sampler=rlenv-plugin-mine')).overlay.plugins).toEqual(['rlenv-plugin-mine'])
    expect((await layerOf('sampler=@acme/sampler')).overlay.plugins).toEqual(['@acme/sampler'])
  })

  test('takes a key with a section for a setting', async () => {
    expect(await layerOf('training.steps=3')).toMatchObject({ overlay: { plugins: [] }, set: ['training.steps=3'] })
  })

  test('refuses a hook point that does not exist and says which was meant', async () => {
    await expect(layerOf('group=filter')).rejects.toMatchObject({ code: 'RLENV_USAGE', fix: 'Did you mean "groups"?' })
  })
})

describe('a file of arms', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rlenv-ablation-'))
    const arms = 'arms: { none: {}, long: { training: { steps: 200 } } }'
    await writeFile(join(folder, 'ablation.mjs'), `export default { ${arms}, seeds: 3 }`)
    await writeFile(join(folder, 'one.mjs'), 'export default { arms: { none: {} } }')
    await writeFile(join(folder, 'odd.mjs'), 'export default { arms: { a: {}, b: {} }, seed: 3 }')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const request = (file: string | undefined, swaps: readonly string[] = []) => {
    return { file, swaps, seeds: undefined, rollouts: undefined, trainingTasks: undefined, cwd: folder }
  }

  test('gives its layers by name, and its numbers unless the command has others', async () => {
    const plan = await planFrom({ ...request('ablation.mjs'), rollouts: 640 })
    expect(plan).toMatchObject({
      seeds: 3,
      rollouts: 640,
      trainingTasks: 200,
      arms: [{ name: 'none' }, { name: 'long' }],
    })
    const { overlay } = await armLayer(plan.arms[1]!, await base())
    expect(overlay).toEqual({ name: 'long', training: { steps: 200 } })
  })

  test.each([
    ['one arm only', 'one.mjs', [], 'RLENV_CONFIG_INVALID'],
    ['an unknown key', 'odd.mjs', [], 'RLENV_CONFIG_INVALID'],
    ['a file that is not there', 'none.mjs', [], 'RLENV_CONFIG_NOT_FOUND'],
    ['a file and swaps', 'ablation.mjs', ['groups=a,b'], 'RLENV_USAGE'],
    ['nothing at all', undefined, [], 'RLENV_USAGE'],
    ['one value only', undefined, ['groups=filter'], 'RLENV_USAGE'],
  ] as const)('refuses %s', async (_what, file, swaps, code) => {
    await expect(planFrom(request(file, swaps))).rejects.toMatchObject({ code })
  })
})
