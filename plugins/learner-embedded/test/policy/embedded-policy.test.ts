import { loadEnvironment, type Message, metaSurface, type PolicyRequest, RandomStream } from 'rlenv'
import { expect, test } from 'vitest'
import { EmbeddedLearner } from '../../src/learner/embedded-learner.ts'
import { defaultSettings } from '../default-settings.ts'
import { library, playLibrary } from '../play-library.ts'

const small = { ...defaultSettings, weights: 2 ** 14 }
const { policy } = new EmbeddedLearner(small)
const { signal } = new AbortController()
const tools = loadEnvironment(library).tools
const sampling = { temperature: 1, topP: 1, maxTokens: null }

function requestOf(messages: readonly Message[], changes: Partial<PolicyRequest> = {}): PolicyRequest {
  return { messages, tools, role: 'act', sampling, random: RandomStream.of(1), ...changes }
}

test('lists the tools of a meta surface first, without a decision', async () => {
  const { turns, messages } = await playLibrary({ policy, surface: 'meta' })
  expect(turns[0]?.span).toMatchObject({ actions: [], logProbs: [] })
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    tool_calls: [{ type: 'function', function: { name: 'list_tools', arguments: '{}' } }],
  })
})

test('puts arguments as an object into the JSON text of call_tool', async () => {
  const { messages } = await playLibrary({ policy, surface: 'meta', seed: 2 })
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  const outer = JSON.parse(calls[1]?.function.arguments ?? '')
  expect(calls[1]?.function.name).toBe('call_tool')
  expect(library.tools.map((tool) => tool.name)).toContain(outer.tool_name)
  expect(outer.arguments).toEqual(expect.any(Object))
})

test('plays both surfaces alike', async () => {
  for (const seed of [1, 2, 3]) {
    const direct = await playLibrary({ policy, seed, maxTurns: 6 })
    const meta = await playLibrary({ policy, seed, surface: 'meta', maxTurns: 7 })
    expect(meta.turns.slice(1).map((turn) => turn.span.actions)).toEqual(direct.turns.map((turn) => turn.span.actions))
    expect(meta.answer).toBe(direct.answer)
  }
})

test('says in one sentence what it goes for and what it does next', async () => {
  const { messages } = await playLibrary({ policy, surface: 'meta', seed: 3 })
  const thoughts = messages.flatMap((message) => (message.role === 'assistant' ? [message.reasoning_content] : []))
  expect(thoughts[0]).toBe('The tools are not known yet. Next: list tools.')
  for (const thought of thoughts.slice(1))
    expect(thought).toMatch(/^Goal: [\w ]+\. (Next: [\w ]+|Nothing is left to do)\.$/)
})

test('reads a fresh array as the one that grew', async () => {
  const { messages, turns } = await playLibrary({ policy, seed: 4, maxTurns: 5 })
  const { policy: other } = new EmbeddedLearner(small)
  const random = RandomStream.of(4, 'play')
  for (const turn of turns) {
    const fresh = structuredClone(messages.slice(0, turn.messageIndex)) as Message[]
    const { message, span } = await other.sample(requestOf(fresh, { random }), signal)
    expect(span.actions).toEqual(turn.span.actions)
    expect(message).toEqual(messages[turn.messageIndex])
  }
})

test('answers "Done." when nothing was asked', async () => {
  const played = await Promise.all(Array.from({ length: 30 }, (_, seed) => playLibrary({ policy, seed, task: 0 })))
  const answers = new Set(played.map(({ answer }) => answer).filter((answer) => answer !== null))
  expect([...answers]).toEqual(['Done.'])
})

test('is greedy at temperature 0 and takes the first of equal candidates', async () => {
  const { policy: uniform } = new EmbeddedLearner({ ...small, scale: 0 })
  const request = requestOf([{ role: 'user', content: 'Please do it.' }], { sampling: { ...sampling, temperature: 0 } })
  const { span } = await uniform.sample(request, signal)
  expect(span.actions.every((action) => action === 0)).toBe(true)
  expect(span.logProbs[0]).toBeCloseTo(-Math.log(tools.length + 1), 12)
})

test('keeps to the likeliest candidates under a small top-p', async () => {
  const request = requestOf([{ role: 'user', content: library.tasks[0]?.instruction ?? '' }])
  const greedy = await policy.sample({ ...request, sampling: { ...sampling, temperature: 0 } }, signal)
  const narrow = await policy.sample({ ...request, sampling: { ...sampling, topP: 1e-6 } }, signal)
  expect(narrow.span.actions).toEqual(greedy.span.actions)
})

test('names the tool list it was offered, except on the meta surface', async () => {
  const messages: Message[] = [{ role: 'user', content: 'Lend a book.' }]
  const direct = await policy.sample(requestOf(messages), signal)
  expect(direct.span.toolsHash).toMatch(/^[0-9a-f]{64}$/)
  const meta = await policy.sample(requestOf([...messages], { tools: metaSurface }), signal)
  expect(meta.span.toolsHash).toBeUndefined()
})

test('refuses roles that it cannot play', () => {
  const request = requestOf([{ role: 'user', content: 'x' }], { role: 'rehearse' })
  expect(() => policy.sample(request, signal)).toThrow(expect.objectContaining({ code: 'RLENV_CONFIG_INVALID' }))
})

test.each(['', '???', '"', 'A', '🙂 "', '1', "'s", 'and then and then', 'O’Brien’s “x'])(
  'gets along with the text %j',
  async (content) => {
    const messages: Message[] = [{ role: 'user', content }]
    for (let turn = 0; turn < 4; turn++) {
      const { message } = await policy.sample(requestOf(messages), signal)
      messages.push(message)
      for (const call of message.tool_calls ?? []) {
        messages.push({ role: 'tool', tool_call_id: call.id, content: '{"unexpected":{"deep":[{"id":1},null,[2]]}}' })
      }
    }
  },
)
