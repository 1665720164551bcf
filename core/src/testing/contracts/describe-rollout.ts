import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../determinism/random-stream.ts'
import { ExecutableWorld } from '../../environment/executable-world.ts'
import type { Plugin } from '../../hooks/plugin.ts'
import type { Policy, RolloutLimits, RolloutRequest, RolloutResult } from '../../hooks/roles.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { goldPolicy, scriptedPolicy } from '../scripted-policy.ts'
import { testSlotContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { pipelineOf } from './pipeline-of.ts'

const environment: Environment = tinyEnvironment()
const limits: RolloutLimits = {
  maxTurns: 12,
  maxToolCalls: null,
  toolTimeoutMs: 5000,
  turnTimeoutMs: 5000,
  rolloutTimeoutMs: 10_000,
  maxResultChars: 10_000,
}

function requestOf(policy: Policy, parts: Partial<RolloutRequest> = {}): RolloutRequest {
  const [task] = environment.tasks
  if (!task) throw new Error('the tiny library has no tasks')
  const { id: taskId, environmentId } = task
  return {
    draw: { id: 'd0', ordinal: 0, taskId, environmentId, seed: 1, policyVersion: policy.policyVersion },
    rolloutIndex: 0,
    attempt: 1,
    task,
    environment,
    policy,
    world: new ExecutableWorld(),
    sampling: { temperature: 1, topP: 1, maxTokens: null },
    limits,
    random: RandomStream.of(1, 'rollout contract'),
    signal: new AbortController().signal,
    ...parts,
  }
}

async function play(plugin: Plugin, request: RolloutRequest): Promise<RolloutResult> {
  const pipeline = await pipelineOf(plugin)
  const strategy = await pipeline.slot('rollout', testSlotContext())
  const result = await strategy.run(request)
  await result.world?.close()
  return result
}

/**
 * The promises every `rollout` plugin keeps. Call it from the plugin's own test file.
 *
 * @param surface - the one that the strategy offers its policy. Default "direct".
 */
export function describeRollout(create: () => Plugin, surface: 'direct' | 'meta' = 'direct'): void {
  const solver = () => goldPolicy(environment.tasks, { surface })

  describe(`${create().name} keeps the rollout contract`, () => {
    test('records who played what', async () => {
      const { trajectory } = await play(create(), requestOf(solver()))
      const [task] = environment.tasks
      expect(trajectory).toMatchObject({ drawId: 'd0', rolloutIndex: 0, attempt: 1, taskId: task?.id, seed: 1 })
      expect(trajectory.environmentId).toBe(environment.id)
    })
    test('plays the same rollout twice for the same request', async () => {
      const [first, second] = [await play(create(), requestOf(solver())), await play(create(), requestOf(solver()))]
      expect(second.trajectory).toEqual(first.trajectory)
    })
    test('points every turn at its assistant message', async () => {
      const { trajectory } = await play(create(), requestOf(solver()))
      expect(trajectory.turns.length).toBeGreaterThan(0)
      for (const turn of trajectory.turns) {
        expect(trajectory.messages[turn.messageIndex]?.role).toBe('assistant')
        expect(turn.span.logProbs).toHaveLength(turn.span.actions.length)
      }
    })
    test('stops at the turn limit', async () => {
      const restless = scriptedPolicy([{ tool: 'list_tools', arguments: {} }])
      const { trajectory } = await play(create(), requestOf(restless, { limits: { ...limits, maxTurns: 3 } }))
      expect(trajectory.turns.length).toBeLessThanOrEqual(3)
      expect(trajectory.stopReason.kind).not.toBe('terminated')
    })
    test('ends as a fault of the model when the policy throws', async () => {
      const broken: Policy = {
        name: 'broken',
        policyVersion: 0,
        sample: () => {
          throw new Error('the service is down')
        },
      }
      const { trajectory } = await play(create(), requestOf(broken))
      expect(trajectory.stopReason).toMatchObject({ kind: 'faulted', in: 'model' })
    })
    test('ends as a fault of the environment when no world can be opened', async () => {
      const world = {
        name: 'closed',
        open: () => {
          throw new Error('no world today')
        },
        close: () => {},
      }
      const { trajectory, world: left } = await play(create(), requestOf(solver(), { world }))
      expect(trajectory.stopReason).toMatchObject({ kind: 'faulted', in: 'environment' })
      expect(left).toBeNull()
    })
    test('ends as cancelled when its signal aborts', async () => {
      const { trajectory } = await play(
        create(),
        requestOf(solver(), { signal: AbortSignal.abort(new Error('enough')) }),
      )
      expect(trajectory.stopReason.kind).toBe('cancelled')
    })
    test('ends at the rollout limit when the policy never answers', async () => {
      const silent: Policy = { name: 'silent', policyVersion: 0, sample: () => new Promise(() => {}) }
      const impatient = { ...limits, turnTimeoutMs: 40, rolloutTimeoutMs: 60 }
      const { trajectory } = await play(create(), requestOf(silent, { limits: impatient }))
      expect(trajectory.stopReason.kind).not.toBe('terminated')
    })
  })
}
