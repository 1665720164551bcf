import { describe, expect, test } from 'vitest'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { ReactRollout } from '../../src/rollout/react-rollout.ts'
import { createRolloutEngine } from '../../src/rollout/rollout-engine.ts'
import { awmStepChecks } from '../../src/rollout/step-checks.ts'
import { goldPolicy, scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyHooks, tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import type { TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { collectAll, testConfig } from './engine-of.ts'
import { drawOf, play } from './play.ts'

const environment = tinyEnvironment()
const draws = environment.tasks.map((task, index) => drawOf(task.id, index))

async function collectTiny(surface: 'direct' | 'meta', policy = goldPolicy(environment.tasks, { surface })) {
  const plugin = tinyPlugin({ hooks: { ...tinyHooks, rewardShaper: (reward) => reward } })
  const engine = createRolloutEngine({
    pipeline: await assemblePipeline([{ name: 'test', plugins: [plugin] }]),
    strategy: new ReactRollout({ surface }),
    world: new ExecutableWorld(),
    policy,
    environments: [environment],
    config: testConfig,
    seed: 1,
    events: () => {},
  })
  return collectAll(engine, { draws, rolloutsPerDraw: 2 })
}

const rewardsOf = (groups: readonly TrajectoryGroup[]) => groups.flatMap((group) => group.members.map((m) => m.reward))

describe('rollouts in executable worlds', () => {
  test.each(['direct', 'meta'] as const)('the gold policy passes every task on the %s surface', async (surface) => {
    expect(rewardsOf(await collectTiny(surface))).toEqual(Array(8).fill(1))
  })

  test('an agent that does nothing fails every task', async () => {
    expect(rewardsOf(await collectTiny('direct', scriptedPolicy(['Done.'])))).toEqual(Array(8).fill(-1))
  })

  test('both surfaces end in the same tools, under both names, with the same state diff', async () => {
    const [direct, meta] = [await collectTiny('direct'), await collectTiny('meta')]
    const trajectory = (groups: readonly TrajectoryGroup[]) => groups[0]!.members[0]!.trajectory
    expect(trajectory(meta).diff).toEqual(trajectory(direct).diff)
    const calls = trajectory(meta).turns.flatMap((turn) => turn.calls)
    expect(calls.map((call) => [call.name, call.serverName])).toEqual([
      ['list_tools', null],
      ['call_tool', 'find_member'],
      ['call_tool', 'search_books'],
      ['call_tool', 'lend_book'],
    ])
    expect(calls[3]!.arguments).toEqual(trajectory(direct).turns[2]!.calls[0]!.arguments)
  })

  test('the trajectory’s diff is the world’s own', async () => {
    const policy = goldPolicy(environment.tasks)
    for (const taskIndex of environment.tasks.keys()) {
      const { trajectory, world } = await play({ environment, world: new ExecutableWorld(), policy, taskIndex })
      const state = await world!.capture()
      expect(trajectory.diff).toEqual(state!.diff)
      await world!.close()
    }
  })

  test('two rollouts of one group never see each other’s writes', async () => {
    const groups = await collectTiny('direct')
    const [first, second] = groups[0]!.members
    expect({ ...first!.trajectory, id: '', rolloutIndex: 0 }).toEqual({
      ...second!.trajectory,
      id: '',
      rolloutIndex: 0,
    })
  })

  test.each(['verify', 'reset', 'done', 'close'])('%s is an unknown tool', async (tool) => {
    const policy = scriptedPolicy([{ tool, arguments: {} }, 'Done.'])
    const { trajectory, world } = await play({ environment, world: new ExecutableWorld(), policy })
    expect(trajectory.turns[0]!.calls[0]).toMatchObject({
      serverName: null,
      result: { error: { kind: 'unknown_tool' } },
    })
    await world!.close()
  })

  test('the six checks of AWM let a clean rollout pass and stop one with wrong arguments', async () => {
    const think = { role: 'assistant', reasoning_content: 'next' } as const
    const call = (name: string, args: object) => ({
      ...think,
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } } as const],
    })
    const find = (args: object) => call('call_tool', { tool_name: 'find_member', arguments: args })
    const stopOf = async (args: object) => {
      const policy = scriptedPolicy([call('list_tools', {}), find(args), { ...think, content: 'Done.' }])
      const options = { surface: 'meta', checks: awmStepChecks(), historyTurns: 3 } as const
      const { trajectory } = await play({ environment, world: new ExecutableWorld(), policy, options })
      return trajectory.stopReason
    }
    expect(await stopOf({ name: 'Ana Silva' })).toEqual({ kind: 'terminated', by: 'answer' })
    expect(await stopOf({ nam: 'Ana Silva' })).toMatchObject({ in: 'policy', code: 'invalid_arguments' })
  })
})
