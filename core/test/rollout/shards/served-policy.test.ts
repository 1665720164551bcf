import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { RandomStream } from '../../../src/determinism/random-stream.ts'
import type { Policy, PolicyRequest } from '../../../src/hooks/roles.ts'
import { ContextOverflow, isContextOverflow } from '../../../src/rollout/context-overflow.ts'
import { Conversations, PolicyServer } from '../../../src/rollout/shards/policy-server.ts'
import { SentTools, ServedPolicy } from '../../../src/rollout/shards/served-policy.ts'
import type { SampledMessage, SampleMessage } from '../../../src/rollout/shards/shard-messages.ts'
import { scriptedPolicy } from '../../../src/testing/scripted-policy.ts'
import type { Message } from '../../../src/vocabulary/message.ts'

const never = new AbortController().signal
const channels: MessageChannel[] = []
afterEach(() => {
  for (const { port1, port2 } of channels.splice(0)) {
    port1.close()
    port2.close()
  }
})

/** A policy as a shard sees it, over a real channel that copies every message. */
function served(policy: Policy): { readonly remote: Policy; readonly questions: SampleMessage[] } {
  const channel = new MessageChannel()
  channels.push(channel)
  const { port1, port2 } = channel
  const questions: SampleMessage[] = []
  const conversations = new Conversations()
  const server = new PolicyServer((message) => port2.postMessage(message))
  const remote = new ServedPolicy({ slot: 1 }, policy, new SentTools(), (message) => port1.postMessage(message))
  port1.on('message', (message: SampledMessage) => remote.answer(message))
  port2.on('message', (question: SampleMessage) => {
    questions.push(question)
    void server.serve(question, policy, conversations, never)
  })
  return { remote, questions }
}

const tools = [{ name: 'read', description: '', inputSchema: {}, readOnly: true }]
const sampling = { temperature: 1, topP: 1, maxTokens: null }

function request(messages: readonly Message[], random: RandomStream): PolicyRequest {
  return { messages, tools, role: 'act', sampling, random }
}

describe('a policy that a shard asks over its channel', () => {
  test('answers as in the same thread, and leaves the random stream where it would have left it', async () => {
    const drawing = () =>
      scriptedPolicy(({ random, messages }) => `${messages.length} ${random.int(1e9)} ${random.fork('a').int(1e9)}`)
    const [here, there] = [RandomStream.of(1, 'x'), RandomStream.of(1, 'x')]
    const [local, { remote, questions }] = [drawing(), served(drawing())]
    const messages: Message[] = [{ role: 'user', content: 'go' }]
    for (let turn = 0; turn < 3; turn++) {
      const expected = await local.sample(request(messages, here), never)
      expect(await remote.sample(request(messages, there), never)).toEqual(expected)
      expect(there.state()).toEqual(here.state())
      messages.push(expected.message, { role: 'user', content: 'on' })
    }
    expect(questions.map((question) => question.messages.added.length)).toEqual([1, 2, 2])
    expect(questions.map((question) => question.tools.list?.length ?? 0)).toEqual([1, 0, 0])
  })
  test('sees one array that grows, as policies that read on need it', async () => {
    const seen = new Set<readonly Message[]>()
    const { remote } = served(scriptedPolicy(({ messages }) => `${seen.add(messages).size} ${messages.length}`))
    const messages: Message[] = [{ role: 'user', content: 'go' }]
    const random = RandomStream.of(1)
    await remote.sample(request(messages, random), never)
    messages.push({ role: 'user', content: 'on' })
    expect((await remote.sample(request(messages, random), never)).message.content).toBe('1 2')
    expect(seen.size).toBe(1)
  })
  test('fails with the words of its own error, an overflow of its context among them', async () => {
    const failing = (error: Error): Policy => ({
      name: 'failing',
      policyVersion: 3,
      sample: () => Promise.reject(error),
    })
    const ask = (policy: Policy) => served(policy).remote.sample(request([], RandomStream.of(1)), never)
    await expect(ask(failing(new TypeError('503 from the service')))).rejects.toThrow('503 from the service')
    await expect(ask(failing(new ContextOverflow('too long')))).rejects.toSatisfy(isContextOverflow)
  })
  test('fails when it returns what cannot be copied, instead of never answering', async () => {
    const odd = { message: () => undefined } as unknown as ReturnType<Policy['sample']>
    const { remote } = served({ name: 'odd', policyVersion: 0, sample: () => odd })
    await expect(remote.sample(request([], RandomStream.of(1)), never)).rejects.toThrow('could not be cloned')
  })
})
