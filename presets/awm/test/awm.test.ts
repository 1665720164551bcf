import { resolveConfig } from 'rlenv'
import { pipelineOf } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import { type AwmOptions, awm } from '../src/index.ts'

async function optionsOf(plugin: string, options: AwmOptions = {}): Promise<unknown> {
  const { layers } = await resolveConfig(awm(options), { command: 'train' })
  const pipeline = await pipelineOf(...layers.flatMap(({ plugins }) => plugins))
  return pipeline.report.plugins.find(({ name }) => name === plugin)?.options
}

describe('awm', () => {
  test("takes the paper's numbers as defaults", async () => {
    const { config } = await resolveConfig(awm(), { command: 'train' })
    expect(config).toMatchObject({
      name: 'awm',
      synthesis: { tasksPerEnvironment: 10, maxAttempts: 5 },
      rollout: { maxTurns: 20 },
      training: { steps: 96, tasksPerStep: 64, rolloutsPerTask: 16 },
    })
  })
  test('rewards as the hybrid reward does: 1, 0.1, 0, -1', async () => {
    expect(await optionsOf('@rlenv/shaper-hybrid')).toMatchObject({
      completed: 1,
      partiallyCompleted: 0.1,
      agentError: 0,
      formatError: -1,
    })
  })
  test('trains one sample per turn on the history that the policy saw', async () => {
    expect(await optionsOf('@rlenv/algorithm-grpo')).toMatchObject({ samplesPer: 'turn', kl: { coefficient: 0.001 } })
    expect(await optionsOf('rlenv/react-rollout')).toMatchObject({ surface: 'meta', historyTurns: 3 })
  })
  test('lets the history be wider, as in evaluation', async () => {
    expect(await optionsOf('rlenv/react-rollout', { historyTurns: 10 })).toMatchObject({ historyTurns: 10 })
  })
  test('checks each step as the paper does', async () => {
    const { checks } = (await optionsOf('rlenv/react-rollout')) as { checks: readonly { name: string }[] }
    expect(checks).toHaveLength(6)
  })
})
