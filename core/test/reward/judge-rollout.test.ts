import { describe, expect, test } from 'vitest'
import type { RewardContext } from '../../src/hooks/contexts.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import { judgeRollout } from '../../src/reward/judge-rollout.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { type ScriptedTurn, scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { testContext } from '../../src/testing/test-context.ts'
import { isCounted } from '../../src/vocabulary/trajectory.ts'
import {
  CounterInstance,
  CounterWorld,
  counterEnvironment,
  counterHooks,
  counterPipeline,
} from '../rollout/counter-environment.ts'
import { type PlayParts, play } from '../rollout/play.ts'

const add = { tool: 'add', arguments: { by: 1 } }
const verifierThat = (judge: NonNullable<PluginHooks['verifier']>['judge']): PluginHooks => {
  return { verifier: { ...counterHooks.verifier, judge } }
}

interface JudgeParts extends Partial<PlayParts> {
  readonly script?: readonly ScriptedTurn[]
  readonly hooks?: PluginHooks
  readonly verifierTimeoutMs?: number
  readonly judgeSignal?: AbortSignal
}

async function judged(parts: JudgeParts = {}) {
  const { script = [add, 'Done.'], hooks, judgeSignal, verifierTimeoutMs = 500, ...rest } = parts
  const environment = counterEnvironment()
  const result = await play({ policy: scriptedPolicy(script), environment, ...rest })
  const events: RunEvent[] = []
  const context = { ...testContext(), ...(judgeSignal && { signal: judgeSignal }) }
  const task = environment.tasks[0]!
  const pipeline = await counterPipeline(hooks)
  const member = await judgeRollout({
    result,
    task,
    environment,
    pipeline,
    context,
    events: (event) => events.push(event),
    verifierTimeoutMs,
  })
  return { member, warnings: events.flatMap((event) => (event.type === 'warning' ? [event] : [])) }
}

describe('judgeRollout', () => {
  test('scores an answer by what the verifier sees of the state', async () => {
    expect((await judged()).member).toMatchObject({ outcome: { kind: 'scored' }, verdict: { passed: true }, reward: 1 })
    expect((await judged({ script: ['Done.'] })).member).toMatchObject({ verdict: { passed: false }, reward: -1 })
  })

  test('asks the verifier about truncated rollouts too', async () => {
    const { member } = await judged({ script: [add], limits: { maxTurns: 1 } })
    expect(member.trajectory.stopReason.kind).toBe('truncated')
    expect(member).toMatchObject({ outcome: { kind: 'scored' }, reward: 1 })
  })

  test('does not ask it about faults, which still reach the shapers', async () => {
    const asked: string[] = []
    const hooks = verifierThat(() => {
      asked.push('verifier')
      return undefined
    })
    const world = new CounterWorld(() => new CounterInstance({ call: () => null }))
    const { member } = await judged({ hooks, world })
    expect(member).toMatchObject({ outcome: { kind: 'environment_fault' }, verdict: null, reward: 0 })
    expect(isCounted(member)).toBe(false)
    expect(asked).toEqual([])
  })

  test('gives the policy’s own fault a reward that counts', async () => {
    const hooks: PluginHooks = { rewardShaper: (reward) => reward }
    const check = { name: 'no', end: () => ({ in: 'policy', code: 'no', message: 'no' }) as const }
    const { member } = await judged({ hooks, options: { checks: [check] } })
    expect(member).toMatchObject({ outcome: { kind: 'policy_fault', code: 'no' }, verdict: null, reward: -1 })
    expect(isCounted(member)).toBe(true)
  })

  test('shows the shapers what was judged, and starts them at +1, -1 or 0', async () => {
    const seen: [number, RewardContext['judged']][] = []
    const hooks: PluginHooks = {
      rewardShaper: (reward, context) => {
        seen.push([reward, context.judged])
        return reward * 10
      },
    }
    const { member } = await judged({ hooks })
    expect(seen).toMatchObject([[1, { outcome: { kind: 'scored' }, verdict: { passed: true } }]])
    expect(member.reward).toBe(10)
  })
})

describe('a verifier that cannot say', () => {
  test('throwing is unscored with task and reason, never a number that counts; the stack goes to the warning', async () => {
    const rows: { id: number }[] = []
    const { member, warnings } = await judged({ hooks: verifierThat(() => ({ id: rows[0]!.id }) as never) })
    expect(member.outcome).toMatchObject({
      kind: 'unscored',
      code: 'verifier_failed',
      message: expect.stringMatching(/^the verifier of counter\/t0: .*Cannot read properties of undefined/),
    })
    expect(member.verdict).toMatchObject({ kind: 'unscored', passed: false })
    expect(isCounted(member)).toBe(false)
    expect(warnings[0]).toMatchObject({ plugin: 'counter', message: expect.stringContaining('judge-rollout.test.ts') })
    expect(JSON.stringify(member)).not.toContain('judge-rollout.test.ts')
  })

  test('one that awaits for ever is unscored at its time limit', async () => {
    const hooks = verifierThat(() => new Promise(() => {}))
    const { member } = await judged({ hooks, verifierTimeoutMs: 20 })
    expect(member.outcome).toMatchObject({ kind: 'unscored', code: 'verifier_timeout' })
    expect(isCounted(member)).toBe(false)
  })

  test.each<[string, unknown]>([
    ['a bare number', 1],
    ['a grade it does not know', { kind: 'GRID: C', passed: false, score: 0, evidence: [] }],
    ['passed and failed at once', { kind: 'failed', passed: true, score: 1, evidence: [] }],
    ['a score that is not a number', { kind: 'failed', passed: false, score: Number.NaN, evidence: [] }],
  ])('%s is no verdict', async (_what, verdict) => {
    const { member } = await judged({ hooks: verifierThat(() => verdict as never) })
    expect(member.outcome).toMatchObject({ kind: 'unscored', code: 'verdict_invalid' })
  })

  test('one that says it cannot say keeps its reason', async () => {
    const verdict = { kind: 'unscored', passed: false, score: 0, evidence: [], reason: 'empty reply' } as const
    const { member } = await judged({ hooks: verifierThat(() => verdict) })
    expect(member.outcome).toEqual({ kind: 'unscored', code: 'verifier_undecided', message: 'empty reply' })
  })

  test('a stored verifier that no plugin reads is unscored', async () => {
    const { member } = await judged({ hooks: verifierThat(() => undefined) })
    expect(member.outcome).toMatchObject({ code: 'no_verifier', message: expect.stringContaining('kind "counter"') })
  })

  test('a state that cannot be captured is unscored', async () => {
    const capture = () => {
      throw new Error('disk I/O error')
    }
    const { member } = await judged({ world: new CounterWorld(() => new CounterInstance({ capture })) })
    expect(member.outcome).toMatchObject({ kind: 'unscored', code: 'state_unreadable' })
  })
})

describe('a reward that cannot be', () => {
  test('a shaper that throws leaves the rollout unscored and is named', async () => {
    const hooks: PluginHooks = {
      rewardShaper: () => {
        throw new Error('no table')
      },
    }
    const { member, warnings } = await judged({ hooks })
    expect(member).toMatchObject({ outcome: { kind: 'unscored', code: 'shaper_failed' }, reward: null })
    expect(warnings[0]).toMatchObject({ plugin: 'counter', hook: 'rewardShaper' })
  })

  test('a shaper that returns nothing ends the run, because it will do so again', async () => {
    const hooks = { rewardShaper: () => undefined } as unknown as PluginHooks
    const refused = expect.objectContaining({ code: 'RLENV_PLUGIN_RETURNED_NOTHING', plugin: 'counter' })
    await expect(judged({ hooks })).rejects.toEqual(refused)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is left out of the group and announced', async (reward) => {
    const { member, warnings } = await judged({ hooks: { rewardShaper: () => reward } })
    expect(isCounted(member)).toBe(false)
    expect(member.outcome).toMatchObject({ message: expect.stringContaining(String(reward)) })
    expect(warnings).toHaveLength(1)
  })
})

test('a rollout that is cancelled while it is judged gets neither verdict nor reward', async () => {
  const abort = new AbortController()
  const hooks = verifierThat(() => {
    abort.abort()
    return new Promise(() => {})
  })
  const { member } = await judged({ hooks, judgeSignal: abort.signal })
  expect(member).toMatchObject({ outcome: { kind: 'cancelled' }, verdict: null, reward: null })
})
