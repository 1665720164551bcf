import { describe, expect, test } from 'vitest'
import type { Policy, PolicyResponse } from '../../src/hooks/roles.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { AssistantMessage } from '../../src/vocabulary/message.ts'
import { trajectorySchema } from '../../src/vocabulary/trajectory.ts'
import { type CounterInstance, contentsOf } from './counter-environment.ts'
import { play } from './play.ts'

/** A policy whose first reply is what a careless plugin in plain JavaScript returns, and which answers after that. */
function careless(
  message: unknown,
  actions: readonly number[] = [],
  more: { readonly [key: string]: unknown } = {},
): Policy {
  const span = { role: 'act', policyVersion: 0, temperature: 1, actions, logProbs: more.logProbs ?? [] }
  const usage = more.usage ?? { promptTokens: 0, completionTokens: 0 }
  const reply = (value: unknown) => ({ message: value, span, finish: 'stop', usage }) as unknown as PolicyResponse
  const replies = [reply(message)]
  return {
    name: 'careless',
    policyVersion: 0,
    sample: () => replies.pop() ?? reply({ role: 'assistant', content: 'Done.' }),
  }
}
const calling = (...calls: readonly unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const call = (args: unknown, name: unknown = 'add') => ({
  id: 'c0',
  type: 'function',
  function: { name, arguments: args },
})

describe('a reply of another form is a fault of the model service that says what is wrong', () => {
  test.each([
    ['arguments as an object', calling(call({ by: 1 })), 'tool call 0 with function.arguments that is of type object'],
    ['no arguments', calling(call(null)), 'tool call 0 with function.arguments that is null'],
    ['a call without a function', calling({ id: 'c0', type: 'function' }), 'function.name that is undefined'],
    ['a name that is a number', calling(call('{}', 5)), 'function.name that is of type number'],
    ['no call where one is listed', calling(null), 'tool call 0 with id that is undefined'],
    [
      'calls that are no list',
      { role: 'assistant', content: null, tool_calls: {} },
      'tool_calls that are of type object',
    ],
    ['content in parts', { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, 'content that is a list'],
    ['reasoning in parts', { role: 'assistant', content: '', reasoning_content: {} }, 'reasoning_content that is of'],
    ['the message of another role', { role: 'user', content: 'Done.' }, 'no assistant message'],
  ])('%s', async (_what, message, words) => {
    const { trajectory, world } = await play({ policy: careless(message) })
    expect(trajectory.stopReason).toMatchObject({ kind: 'faulted', in: 'model', code: 'malformed_reply' })
    expect(trajectory.stopReason).toMatchObject({ message: expect.stringContaining(`careless returned `) })
    expect(trajectory.stopReason).toMatchObject({ message: expect.stringContaining(words) })
    expect((world as CounterInstance).value).toBe(0)
  })

  test('a message without content and calls is an empty answer, however it leaves them out', async () => {
    for (const message of [{ role: 'assistant' }, { role: 'assistant', content: null, tool_calls: null }]) {
      const { trajectory } = await play({ policy: careless(message) })
      expect([trajectory.stopReason.kind, trajectory.answer]).toEqual(['terminated', ''])
    }
  })
})

test('a span with more actions than log-probabilities is a fault of the model service', async () => {
  const { trajectory } = await play({ policy: careless({ role: 'assistant', content: 'Done.' }, [7, 8]) })
  expect(trajectory.stopReason).toMatchObject({
    in: 'model',
    message: 'careless returned a span of 2 actions and 0 log-probabilities',
  })
})

test.each([
  [[7], { logProbs: [Number.NaN] }, 'action 0 of its span as 7 with log-probability NaN'],
  [[7], { logProbs: [Number.NEGATIVE_INFINITY] }, 'with log-probability -Infinity'],
  [[7, Number.NaN], { logProbs: [-1, -1] }, 'action 1 of its span as NaN'],
  [[7], { logProbs: ['-1'] }, 'action 0 of its span as 7'],
  [[], { usage: { promptTokens: Number.NaN, completionTokens: 1 } }, 'usage of NaN prompt and 1 completion tokens'],
  [[], { usage: {} }, 'usage of undefined prompt'],
])('actions %j with %j are a fault of the model service, and are not trained on', async (actions, more, words) => {
  const { trajectory } = await play({ policy: careless({ role: 'assistant', content: 'Done.' }, actions, more) })
  expect(trajectory.stopReason).toMatchObject({ kind: 'faulted', in: 'model', message: expect.stringContaining(words) })
  expect(trajectorySchema.parse(JSON.parse(JSON.stringify(trajectory)))).toEqual(trajectory)
})

test('what servers add to a message is left out, so that its trace can be read back', async () => {
  const added = { ...call('{"by":1}'), index: 0 }
  const message = { ...calling(added), refusal: null, reasoning_content: null, annotations: [] }
  const { trajectory } = await play({ policy: careless(message) })
  expect(trajectory.messages[2]).toEqual(calling(call('{"by":1}')))
  expect(trajectorySchema.parse(JSON.parse(JSON.stringify(trajectory)))).toEqual(trajectory)
})

test('arguments that were encoded twice are decoded twice, and stand in the message as they were sampled', async () => {
  const twice = JSON.stringify('{"by":4}')
  const message = calling(call(twice)) as AssistantMessage
  const { trajectory, world } = await play({ policy: scriptedPolicy([message, 'Done.']) })
  expect((world as CounterInstance).value).toBe(4)
  expect(trajectory.turns[0]!.calls[0]).toMatchObject({ arguments: { by: 4 }, result: { ok: true } })
  expect(trajectory.messages).toContainEqual(message)
})

test('a text as arguments that holds no object is answered with an error', async () => {
  const message = calling(call('"by one"')) as AssistantMessage
  const { trajectory } = await play({ policy: scriptedPolicy([message, 'Done.']) })
  expect(contentsOf(trajectory.messages, 'tool')[0]).toContain('must be a JSON object, not a string')
})

test('a call inside unclosed thinking is not carried out and is no answer', async () => {
  const draft = '<think>maybe <tool_call>{"name":"add","arguments":{"by":3}}</tool_call>'
  const { trajectory, world } = await play({ policy: scriptedPolicy([draft]) })
  expect((world as CounterInstance).value).toBe(0)
  expect(trajectory.answer).toBe('')
})
