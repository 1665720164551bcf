import { resolveConfig } from 'rlenv'
import { pipelineOf } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import { arena } from '../src/index.ts'

describe('arena', () => {
  test('fills every hook point that training needs', async () => {
    const { layers } = await resolveConfig(arena(), { command: 'train' })
    const pipeline = await pipelineOf(...layers.flatMap(({ plugins }) => plugins))
    const filled = pipeline.report.hooks.filter(({ plugins }) => plugins.length > 0)
    expect(filled.map(({ hook, plugins }) => `${hook}: ${plugins.map(({ name }) => name).join(', ')}`)).toEqual([
      'scenarioSource: @rlenv/blueprint',
      'dbMiner: @rlenv/blueprint',
      'toolGenerator: @rlenv/blueprint',
      'taskGenerator: @rlenv/blueprint',
      'verifier: @rlenv/verifier-code',
      'rewardShaper: @rlenv/shaper-ternary',
      'sampler: @rlenv/sampler-adaptive',
      'groups: @rlenv/groups-replay',
      'algorithm: @rlenv/algorithm-grpo',
      'learner: @rlenv/learner-embedded',
      'rollout: rlenv/react-rollout',
    ])
  })
  test("takes the source's numbers as defaults", async () => {
    const { config } = await resolveConfig(arena(), { command: 'train' })
    expect(config).toMatchObject({
      name: 'arena',
      rollout: { maxTurns: 20 },
      training: { steps: 96, tasksPerStep: 64, rolloutsPerTask: 16, maxStaleness: 1 },
    })
  })
  test('passes the number of environments and tasks on', async () => {
    const { config } = await resolveConfig(arena({ environments: 12, tasksPerEnvironment: 7 }), { command: 'synth' })
    expect(config.synthesis).toMatchObject({ environments: 12, tasksPerEnvironment: 7 })
  })
  test('is plain configuration that a user extends', async () => {
    const { config } = await resolveConfig({ extends: arena(), training: { steps: 3 }, seed: 5 }, { command: 'train' })
    expect(config).toMatchObject({ seed: 5, training: { steps: 3, tasksPerStep: 64 } })
  })
})
