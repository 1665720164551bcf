import { afterAll, beforeAll, expect, test } from 'vitest'
import { treeOf } from './file-tree.ts'
import { Project, smallConfig } from './project.ts'

type Tree = Readonly<Record<string, string>>

const project = new Project({ 'rlenv.config.ts': smallConfig() })
let reference: Tree

beforeAll(async () => {
  reference = await trained('--max-concurrent', '1')
})
afterAll(() => project.remove())

/** Every traces file and every evaluation of a run. */
async function trained(...args: readonly string[]): Promise<Tree> {
  return recordsOf(await project.json<{ directory: string }>(['train', ...args]))
}

function recordsOf({ directory }: { readonly directory: string }): Tree {
  return treeOf(directory, (path) => /^(rollouts|evaluations|metrics\.jsonl$)/.test(path))
}

test('one seed gives the same traces byte for byte with 1 rollout in flight and with 32', async () => {
  expect(Object.keys(reference)).toEqual(
    expect.arrayContaining([
      'evaluations/step_0.json',
      'evaluations/step_3.json',
      'rollouts/step_0/eval/all/traces.jsonl',
      'rollouts/step_2/train/effective/traces.jsonl',
    ]),
  )
  const traces = (tree: Tree) => Object.fromEntries(Object.entries(tree).filter(([path]) => path !== 'metrics.jsonl'))
  expect(traces(await trained('--max-concurrent', '32'))).toEqual(traces(reference))
})

test('another seed gives other traces', async () => {
  const other = await trained(
    '--max-concurrent',
    '1',
    '--seed',
    '12',
    '--set',
    'synthesis.artifactDirectory=.rlenv/seed-12',
  )
  const path = 'rollouts/step_0/train/all/traces.jsonl'
  expect(Object.keys(other)).toContain(path)
  expect(other[path]).not.toBe(reference[path])
})

test('the time zone of the machine changes no byte, from synthesis to the last evaluation', async () => {
  const zone = { TZ: 'Pacific/Kiritimati' }
  const fresh = ['--set', 'synthesis.artifactDirectory=.rlenv/kiritimati', '--max-concurrent', '1']
  const far = recordsOf(await project.json<{ directory: string }>(['train', ...fresh], 0, zone))
  const traces = (tree: Tree) => Object.fromEntries(Object.entries(tree).filter(([path]) => path !== 'metrics.jsonl'))
  expect(traces(far)).toEqual(traces(reference))
  expect(treeOf(project.path('.rlenv/kiritimati'))).toEqual(treeOf(project.path('.rlenv/artifacts')))
})
