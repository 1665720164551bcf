import { describe, expect, test } from 'vitest'
import type { StepCheck } from '../../src/rollout/step-check.ts'
import {
  arenaStepChecks,
  argumentsCheck,
  awmStepChecks,
  knownToolCheck,
  listToolsFirstCheck,
  reasoningCheck,
  usefulCallCheck,
} from '../../src/rollout/step-checks.ts'
import { type ScriptedTurn, scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { AssistantMessage } from '../../src/vocabulary/message.ts'
import type { Turn } from '../../src/vocabulary/trajectory.ts'
import { CounterInstance, CounterWorld } from './counter-environment.ts'
import { play } from './play.ts'

const call = (tool: string, args = {}) => ({ tool, arguments: args })

async function stopUnder(checks: readonly StepCheck[], script: readonly ScriptedTurn[], world = new CounterWorld()) {
  const limits = { toolTimeoutMs: 20 }
  const { trajectory } = await play({ policy: scriptedPolicy(script), world, limits, options: { checks } })
  return { stop: trajectory.stopReason, trajectory }
}

/** A turn that called these tools, each with success or not. */
function turnOf(index: number, ...calls: (readonly [name: string, ok: boolean])[]): Turn {
  return {
    index,
    messageIndex: index,
    windowStart: 0,
    span: { role: 'act', policyVersion: 0, temperature: 1, actions: [], logProbs: [] },
    calls: calls.map(([name, ok]) => ({
      id: '',
      name,
      serverName: name,
      arguments: {},
      result: ok ? { ok, content: null } : { ok, error: { kind: 'business_rejection', code: 'no', message: 'no' } },
      diff: [],
    })),
    truncated: false,
  }
}

function calling(...names: readonly string[]): AssistantMessage {
  return {
    role: 'assistant',
    content: null,
    tool_calls: names.map((name) => ({ id: '', type: 'function', function: { name, arguments: '{}' } })),
  }
}

describe('step checks', () => {
  test('an unknown tool ends the rollout as the policy’s fault', async () => {
    const { stop, trajectory } = await stopUnder([knownToolCheck()], [call('subtract'), 'Done.'])
    expect(stop).toEqual({
      kind: 'faulted',
      in: 'policy',
      code: 'unknown_tool',
      message: 'subtract: unknown tool "subtract"; the tools are add, read',
    })
    expect(trajectory.turns).toHaveLength(1)
    expect(trajectory.turns[0]!.calls).toHaveLength(1)
  })

  test.each([
    ['do not fit', call('add', { by: 'one' })],
    [
      'are no JSON',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{' } }],
      } as const,
    ],
  ])('arguments that %s end the rollout as the policy’s fault', async (_what, turn) => {
    expect((await stopUnder([argumentsCheck()], [turn, 'Done.'])).stop).toMatchObject({
      in: 'policy',
      code: 'invalid_arguments',
    })
  })

  test('a message without reasoning is at fault before its calls are carried out', async () => {
    const world = new CounterWorld()
    const { stop } = await stopUnder([reasoningCheck()], [call('add', { by: 1 })], world)
    expect(stop).toMatchObject({ in: 'policy', code: 'missing_reasoning' })
    expect(world.instances[0]!.value).toBe(0)
  })

  test.each<[string, AssistantMessage]>([
    ['in its own field', { role: 'assistant', content: 'Done.', reasoning_content: 'easy' }],
    ['inside tags', { role: 'assistant', content: '<think>easy</think>Done.' }],
  ])('reasoning %s is accepted', async (_where, message) => {
    expect((await stopUnder([reasoningCheck()], [message])).stop.kind).toBe('terminated')
  })

  test('empty reasoning tags are no reasoning', async () => {
    expect((await stopUnder([reasoningCheck()], ['<think> </think>Done.'])).stop.kind).toBe('faulted')
  })

  test('a timeout is the environment’s fault under the checks of both pipelines', async () => {
    const slow = () => new CounterWorld(() => new CounterInstance({ call: () => new Promise(() => {}) }))
    const message = { ...calling('add'), reasoning_content: 'first' }
    expect((await stopUnder(arenaStepChecks(), [message], slow())).stop).toMatchObject({
      in: 'environment',
      code: 'tool_timeout',
    })
    expect(awmStepChecks().map((check) => check.name)).toContain('tool_timeout')
  })

  test('nothing is at fault in a clean rollout', async () => {
    const { stop } = await stopUnder(arenaStepChecks(), [call('add', { by: 1 }), 'Done.'])
    expect(stop.kind).toBe('terminated')
  })
})

describe('listToolsFirstCheck', () => {
  const check = listToolsFirstCheck()
  const ask = (message: AssistantMessage, before: readonly Turn[]) => {
    return check.message!(message, { surface: 'meta', turns: [...before, turnOf(before.length)] })
  }
  const listed = [turnOf(0, ['list_tools', true])]

  test('wants list_tools first', () => {
    expect(ask(calling('list_tools'), [])).toBeUndefined()
    expect(ask(calling('call_tool'), [])?.message).toBe('call 1 is call_tool')
  })
  test('wants it exactly once', () => {
    expect(ask(calling('call_tool', 'call_tool'), listed)).toBeUndefined()
    expect(ask(calling('call_tool', 'list_tools'), listed)?.message).toBe('call 3 is list_tools')
  })
  test('does not accept an answer without it', () => {
    expect(check.end!({ surface: 'meta', turns: [turnOf(0)] })?.code).toBe('list_tools_not_first')
    expect(check.end!({ surface: 'meta', turns: [...listed, turnOf(1)] })).toBeUndefined()
  })
  test('says nothing on the direct surface', () => {
    expect(check.message!(calling('add'), { surface: 'direct', turns: [turnOf(0)] })).toBeUndefined()
    expect(check.end!({ surface: 'direct', turns: [turnOf(0)] })).toBeUndefined()
  })
})

describe('usefulCallCheck', () => {
  const end = (...turns: readonly Turn[]) => usefulCallCheck().end!({ surface: 'meta', turns })

  test('wants one successful call beyond list_tools', () => {
    const listed = turnOf(0, ['list_tools', true])
    expect(end(listed, turnOf(1, ['call_tool', false]), turnOf(2))?.code).toBe('no_useful_call')
    expect(end(listed, turnOf(1, ['call_tool', true]), turnOf(2))).toBeUndefined()
  })
  test('lets an answer in the first turn pass', () => {
    expect(end(turnOf(0))).toBeUndefined()
  })
})
