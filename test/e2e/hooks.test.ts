import { afterAll, describe, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

const project = new Project({ 'rlenv.config.ts': smallConfig() })
afterAll(() => project.remove())

interface Hook {
  readonly hook: string
  readonly plugins: readonly { readonly name: string }[]
  readonly replaced: readonly { readonly name: string }[]
}

async function hooksOf(...args: readonly string[]): Promise<ReadonlyMap<string, Hook>> {
  const { hooks } = await project.json<{ hooks: readonly Hook[] }>(['config', '--hooks', ...args])
  return new Map(hooks.map((hook) => [hook.hook, hook]))
}

/** What falls empty when a plugin of preset arena, or of the core below it, is left out. */
const filled: Readonly<Record<string, readonly string[]>> = {
  '@rlenv/blueprint': ['scenarioSource', 'dbMiner', 'toolGenerator', 'taskGenerator'],
  '@rlenv/verifier-code': ['verifier'],
  '@rlenv/shaper-ternary': ['rewardShaper'],
  '@rlenv/sampler-adaptive': ['sampler'],
  '@rlenv/groups-replay': ['groups'],
  '@rlenv/algorithm-grpo': ['algorithm'],
  '@rlenv/learner-embedded': ['learner'],
  'rlenv/react-rollout': ['rollout'],
  'rlenv/executable-world': ['world'],
}

describe('without one plugin, rlenv train does nothing but name the hook points that are empty now', () => {
  test.each(Object.entries(filled))('%s', async (name, hooks) => {
    const error = await project.failure(['train', '--set', `without=${JSON.stringify([name])}`], 2)
    expect(error).toMatchObject({ code: 'RLENV_HOOK_EMPTY', hook: hooks[0] })
    for (const hook of hooks) expect(error.message).toContain(hook)
    expect(error.fix).not.toBeNull()
  })
  test('and the list above is every plugin there is', async () => {
    const used = [...(await hooksOf()).values()].flatMap(({ plugins }) => plugins.map(({ name }) => name))
    expect(new Set(used)).toEqual(new Set(Object.keys(filled)))
  })
  test('one that is not there is refused, with the one it is near to', async () => {
    const error = await project.failure(['train', '--set', 'without=["@rlenv/shaper-ternry"]'], 2)
    expect(`${error.message} ${error.fix}`).toContain('@rlenv/shaper-ternary')
  })
})

test('another reward is one line, and the resolved configuration says whom it replaced', async () => {
  const line = 'plugins: [hybridShaper()],'
  project.write('hybrid.config.ts', smallConfig(line, `import { hybridShaper } from '@rlenv/shaper-hybrid'\n`))
  const [before, after] = [await hooksOf(), await hooksOf('-c', 'hybrid.config.ts')]
  expect(after.get('rewardShaper')).toMatchObject({
    plugins: [{ name: '@rlenv/shaper-hybrid' }],
    replaced: [{ name: '@rlenv/shaper-ternary' }],
  })
  const changed = [...after.values()].filter(({ hook, plugins }) => {
    return JSON.stringify(plugins) !== JSON.stringify(before.get(hook)?.plugins)
  })
  expect(changed.map(({ hook }) => hook)).toEqual(['rewardShaper'])
  const report = await project.json(['train', '-c', 'hybrid.config.ts', '--steps', '1'])
  expect(report).toMatchObject({ status: 'done', steps: 1 })
})
