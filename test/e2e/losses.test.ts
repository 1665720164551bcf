import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cispo, dapo, drGrpo, grpo, gspo, rloo } from '@rlenv/algorithm-grpo'
import { arena } from '@rlenv/preset-arena'
import {
  ArtifactStore,
  assemblePipeline,
  corePlugins,
  type Environment,
  type Plugin,
  RunDirectory,
  resolveConfig,
  synthesize,
  systemClock,
  train,
} from 'rlenv'
import { afterAll, describe, expect, test } from 'vitest'
import { treeOf } from './file-tree.ts'

const root = mkdtempSync(join(tmpdir(), 'rlenv-losses-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const { signal } = new AbortController()
const events = () => undefined
const clock = systemClock

/** The factories of the algorithm. */
const algorithms: Readonly<Record<string, Plugin>> = {
  grpo: grpo(),
  'grpo with every penalty and correction': grpo({
    dualClip: 3,
    kl: { coefficient: 0.01 },
    klInReward: { coefficient: 0.01, estimator: 'k3' },
    importanceSampling: { level: 'sequence', mode: 'mask', cap: 5 },
  }),
  drGrpo: drGrpo({ length: 32 }),
  dapo: dapo({ importanceSampling: {} }),
  gspo: gspo(),
  cispo: cispo({ importanceSampling: { level: 'geometric', cap: 1.5 } }),
  rloo: rloo({ samplesPer: 'turn', klInReward: { coefficient: 0.05 } }),
}
const optionsOf = (name: string) => JSON.stringify(algorithms[name]?.options ?? {})

interface Trained {
  readonly steps: readonly Readonly<Record<string, number>>[]
  /** Numbers, rollouts and weights of the run, by file. */
  readonly files: Readonly<Record<string, string>>
}

let environments: readonly Environment[] | undefined
let runs = 0

/** Two steps of the preset on three environments, synthesised once. */
async function trainWith(algorithm: Plugin): Promise<Trained> {
  const loaded = await resolveConfig(
    {
      extends: arena({ environments: 3, tasksPerEnvironment: 6 }),
      plugins: [algorithm],
      training: { steps: 2, tasksPerStep: 6, rolloutsPerTask: 6, optimizerStepsPerStep: 2, maxRefills: 1 },
      evaluation: { heldOutShare: 0 },
      seed: 5,
    },
    { command: 'train', core: corePlugins(), cwd: root },
  )
  const { config } = loaded
  const pipeline = await assemblePipeline(loaded.layers, { command: 'train' })
  const store = new ArtifactStore(join(root, 'artifacts'))
  environments ??= (await synthesize({ pipeline, config, store, events, clock, signal })).environments
  const directory = join(root, `run-${runs++}`)
  const records = await RunDirectory.create({
    root: directory,
    kind: 'train',
    name: 'losses',
    model: 'embedded',
    config,
    clock,
  })
  await train({ pipeline, config, environments, records, events, clock, resume: false }, signal)
  await records.close()
  const lines = readFileSync(join(records.directory, 'metrics.jsonl'), 'utf8').trim().split('\n')
  return {
    steps: lines.map((line) => JSON.parse(line) as Record<string, number>),
    files: treeOf(records.directory, (path) => /^(metrics\.jsonl|rollouts|checkpoints.*embedded\.f64)/.test(path)),
  }
}

const finished = new Map<string, Trained>()

describe.each(Object.entries(algorithms))('two steps of the embedded learner with %s', (name, algorithm) => {
  test('change its weights, report finite numbers, and give the same bytes for the same seed', async () => {
    const [first, second] = [await trainWith(algorithm), await trainWith(algorithm)]
    finished.set(name, first)
    expect(first.steps).toHaveLength(2)
    for (const [metric, value] of first.steps.flatMap((step) => Object.entries(step))) {
      expect(value, metric).toSatisfy(Number.isFinite)
    }
    expect(first.steps.reduce((total, step) => total + (step['optimizer/steps'] ?? 0), 0)).toBeGreaterThan(0)
    expect(first.steps.every((step) => step['optimizer/refused'] === 0)).toBe(true)
    // Rollouts are fresh and the learner is the sampler, so that no weight moves.
    const corrected = optionsOf(name).includes('importanceSampling"')
    expect(first.steps[0]?.['is_weight/mean']).toEqual(corrected ? expect.closeTo(1, 9) : undefined)
    expect('kl_in_reward' in (first.steps[0] ?? {})).toBe(optionsOf(name).includes('klInReward'))
    expect(Object.keys(first.files).some((path) => path.endsWith('embedded.f64'))).toBe(true)
    expect(second.files).toEqual(first.files)
  })
})

test('every algorithm takes the same rollouts of the first step to other weights', () => {
  const trees = [...finished.values()].map(({ files }) => files)
  expect(trees).toHaveLength(Object.keys(algorithms).length)
  expect(new Set(trees.map((files) => files['rollouts/step_0/train/all/traces.jsonl'])).size).toBe(1)
  const weights = trees.map((files) => Object.entries(files).filter(([path]) => path.endsWith('.f64')))
  expect(new Set(weights.map((entries) => JSON.stringify(entries))).size).toBe(trees.length)
})
