import { describe, expect, test } from 'vitest'
import type { PolicyRequest } from '../../src/hooks/roles.ts'
import { messagesSeenAt } from '../../src/rollout/history-window.ts'
import { goldPolicy, scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { AssistantMessage, Message } from '../../src/vocabulary/message.ts'
import { type CounterInstance, contentsOf, counterEnvironment } from './counter-environment.ts'
import { play } from './play.ts'

const add = (by: number) => ({ tool: 'add', arguments: { by } })
const withCalls = (...calls: (readonly [name: string, args: string])[]): AssistantMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([name, args], index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: args },
  })),
})
describe('runRollout', () => {
  test('plays calls until a message without one, which is the answer', async () => {
    const { trajectory, world } = await play({ policy: scriptedPolicy([add(1), add(2), 'It stands at 3.']) })
    expect(trajectory.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(trajectory.answer).toBe('It stands at 3.')
    expect(trajectory.stopReason).toEqual({ kind: 'terminated', by: 'answer' })
    expect(contentsOf(trajectory.messages, 'tool')).toEqual(['{"value":1}', '{"value":3}'])
    expect(trajectory.diff).toMatchObject([{ kind: 'update', before: { value: 0 }, after: { value: 3 } }])
    expect(trajectory.usage).toEqual({ promptTokens: 0, completionTokens: 3 })
    expect((world as CounterInstance).closed).toBe(0)
  })

  test('shows the policy one array that grows, and everything in it', async () => {
    const seen: { messages: readonly Message[]; length: number }[] = []
    const policy = scriptedPolicy(({ messages }, turn) => {
      seen.push({ messages, length: messages.length })
      return turn < 2 ? add(1) : 'Done.'
    })
    const { trajectory } = await play({ policy })
    expect(new Set(seen.map((one) => one.messages))).toEqual(new Set([trajectory.messages]))
    expect(seen.map((one) => one.length)).toEqual([2, 4, 6])
    expect(trajectory.turns.map((turn) => turn.windowStart)).toEqual([0, 0, 0])
  })

  test('shows task, first exchange and the last turns only, and records that cut', async () => {
    const seen: (readonly Message[])[] = []
    const policy = scriptedPolicy(({ messages }: PolicyRequest, turn) => {
      seen.push([...messages])
      return turn < 6 ? add(turn) : 'Done.'
    })
    const { trajectory } = await play({ policy, options: { historyTurns: 2 } })
    const { messages, turns } = trajectory
    expect(turns.map((turn) => turn.windowStart)).toEqual([0, 0, 0, 0, 6, 8, 10])
    expect(seen[5]).toEqual([...messages.slice(0, 4), ...messages.slice(8, 12)])
    for (const turn of turns) expect(messagesSeenAt(messages, turns, turn)).toEqual(seen[turn.index])
  })

  test('answers a call with broken JSON by an error and carries the others out', async () => {
    const { trajectory, world } = await play({
      policy: scriptedPolicy([withCalls(['add', '{"by":'], ['add', '{"by":1}'], ['add', '[1]']), 'Done.']),
    })
    const [broken, good, list] = trajectory.turns[0]!.calls
    expect(broken).toMatchObject({ serverName: null, arguments: null, result: { ok: false } })
    expect(broken!.result).toMatchObject({ error: { kind: 'invalid_arguments', code: 'invalid_json' } })
    expect(good).toMatchObject({ serverName: 'add', arguments: { by: 1 }, result: { ok: true } })
    expect(list!.result).toMatchObject({ error: { message: 'the arguments must be a JSON object, not an array' } })
    expect((world as CounterInstance).value).toBe(1)
    expect(trajectory.messages.filter((message) => message.role === 'tool').map((m) => m.tool_call_id)).toEqual([
      'c0',
      'c1',
      'c2',
    ])
  })

  test('reads no arguments at all as an empty object', async () => {
    const { trajectory } = await play({ policy: scriptedPolicy([withCalls(['read', '']), 'Done.']) })
    expect(trajectory.turns[0]!.calls[0]).toMatchObject({ arguments: {}, result: { ok: true } })
  })

  test('gives errors back to the policy, which may recover', async () => {
    const policy = scriptedPolicy([{ tool: 'subtract', arguments: {} }, add(1), 'Done.'])
    const { trajectory } = await play({ policy })
    expect(trajectory.stopReason.kind).toBe('terminated')
    expect(contentsOf(trajectory.messages, 'tool')[0]).toBe(
      '{"error":{"code":"unknown_tool","message":"unknown tool \\"subtract\\"; the tools are add, read"}}',
    )
  })

  test('ends truncated at the turn limit, after the last calls were carried out', async () => {
    const { trajectory, world } = await play({ policy: scriptedPolicy([add(1)]), limits: { maxTurns: 3 } })
    expect(trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'turns' })
    expect(trajectory.turns).toHaveLength(3)
    expect(trajectory.answer).toBeNull()
    expect((world as CounterInstance).value).toBe(3)
  })

  test('ends truncated when the policy wants more tool calls than the limit', async () => {
    const { trajectory, world } = await play({ policy: scriptedPolicy([add(1)]), limits: { maxToolCalls: 2 } })
    expect(trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'tool-calls' })
    expect((world as CounterInstance).value).toBe(2)
  })

  test('knows no limit on tool calls when none is set', async () => {
    const many = Array.from({ length: 40 }, () => add(1))
    const { world } = await play({ policy: scriptedPolicy([many, 'Done.']), limits: { maxToolCalls: null } })
    expect((world as CounterInstance).value).toBe(40)
  })

  test('carries only so many calls of a message out and says so of the others', async () => {
    const { trajectory, world } = await play({
      policy: scriptedPolicy([[add(1), add(1)], 'Done.']),
      options: { toolCallsPerTurn: 1 },
    })
    expect((world as CounterInstance).value).toBe(1)
    expect(trajectory.turns[0]!.calls[1]!.result).toMatchObject({ ok: false, error: { code: 'too_many_calls' } })
    expect(contentsOf(trajectory.messages, 'tool')[1]).toContain('only 1 tool call per message')
  })

  test('keeps thinking out of the answer', async () => {
    const policy = scriptedPolicy(['<think>Is it 4? No.</think>\nIt is 5.'])
    expect((await play({ policy })).trajectory.answer).toBe('It is 5.')
  })

  test('takes the oldest policy version that took part', async () => {
    let version = 7
    const policy = scriptedPolicy([add(1), add(1), 'Done.'])
    const jumping = {
      name: 'jumping',
      policyVersion: 9,
      sample: async (...args: Parameters<typeof policy.sample>) => {
        const response = await policy.sample(...args)
        return { ...response, span: { ...response.span, policyVersion: version-- } }
      },
    }
    expect((await play({ policy: jumping })).trajectory.policyVersion).toBe(5)
  })
})

describe('a reply cut off by length', () => {
  const cut = { cut: { role: 'assistant', content: '' } as const }

  test('is told so, not that a tool call was forgotten, and may be followed by a better one', async () => {
    const { trajectory } = await play({ policy: scriptedPolicy([cut, add(1), 'Done.']) })
    expect(trajectory.turns.map((turn) => turn.truncated)).toEqual([true, false, false])
    expect(contentsOf(trajectory.messages, 'user')[1]).toMatch(/cut off at the length limit/)
    expect(trajectory.stopReason.kind).toBe('terminated')
  })

  test('is repeated a bounded number of times, then the rollout ends truncated', async () => {
    const { trajectory } = await play({ policy: scriptedPolicy([cut]), options: { maxCutReplies: 2 } })
    expect(trajectory.turns).toHaveLength(3)
    expect(trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'tokens' })
    expect(trajectory.answer).toBeNull()
  })

  test('as the last one allowed ends the rollout by tokens, not by turns', async () => {
    const { trajectory } = await play({ policy: scriptedPolicy([add(1), cut]), limits: { maxTurns: 2 } })
    expect(trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'tokens' })
    expect(trajectory.turns[1]!.truncated).toBe(true)
  })

  test('inside a call names the cut in the error for that call', async () => {
    const policy = scriptedPolicy([{ cut: withCalls(['add', '{"by": 1'], ['add', '{"by": 1}']) }, 'Done.'])
    const { trajectory, world } = await play({ policy })
    expect(trajectory.turns[0]!.calls[0]!.result).toMatchObject({ error: { code: 'cut_arguments' } })
    expect((world as CounterInstance).value).toBe(1)
  })
})

test('a gold policy plays the gold calls of the task that it is asked', async () => {
  const environment = counterEnvironment(3)
  const { world } = await play({ environment, taskIndex: 2, policy: goldPolicy(environment.tasks) })
  expect((world as CounterInstance).value).toBe(1)
})
