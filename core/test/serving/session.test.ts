import { tinyEnvironment } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import type { WorldInstance } from '../../src/hooks/world.ts'
import { sessionTrajectory } from '../../src/serving/session-record.ts'
import type { ToolResult } from '../../src/vocabulary/tool.ts'
import { trajectorySchema } from '../../src/vocabulary/trajectory.ts'
import { Gate, GatedWorld } from './gated-world.ts'
import { library, openBroker } from './served-library.ts'

const wanted = { environmentId: library.id, taskId: library.tasks[0]!.id }
const gold = library.tasks[0]!.gold.calls
const write = gold.at(-1)!

/** A world whose tools answer whatever they are told to. */
const answering = (result: () => ToolResult) => ({
  name: 'answering',
  open: (): WorldInstance => ({
    tools: [{ name: 'peek', description: 'Looks.', inputSchema: { type: 'object' }, readOnly: true }],
    call: () => ({ result: result(), diff: [] }),
    capture: () => null,
    close: () => undefined,
  }),
  close: () => undefined,
})

describe('Session', () => {
  test('carries calls out one after the other, in the order of asking', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }) })
    const session = await broker.open(wanted)
    const asked = gold.map(({ tool, arguments: args }) => session.call(tool, args))
    const verdict = session.verify(null)
    await new Promise(setImmediate)
    expect(call.waiting).toBe(1)
    call.open()
    for (const answer of asked) expect((await answer).result.ok).toBe(true)
    expect(session.calls.map(({ serverName }) => serverName)).toEqual(gold.map(({ tool }) => tool))
    expect((await verdict).passed).toBe(true)
  })

  test('ends the wait for a late call, not the call: its write is in the diff once', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }), limits: { toolTimeoutMs: 20 } })
    const session = await broker.open(wanted)
    const late = await session.call(write.tool, write.arguments)
    expect(late.result).toMatchObject({ ok: false, error: { kind: 'timeout' } })
    expect(late.text).toContain('may still take effect')
    call.open()
    const direct = await (await openBroker()).open(wanted)
    const expected = await direct.call(write.tool, write.arguments)
    expect(await session.capture((state) => state?.diff)).toEqual(expected.diff)
    expect(session.calls).toHaveLength(1)
  })

  test('does not make a call that was cancelled or given up before its turn came', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }), limits: { toolTimeoutMs: 40 } })
    const session = await broker.open(wanted)
    const gone = new AbortController()
    const first = session.call(gold[0]!.tool, gold[0]!.arguments)
    const cancelled = session.call(write.tool, write.arguments, { signal: gone.signal })
    const impatient = session.call(write.tool, write.arguments)
    gone.abort()
    await Promise.all([first, cancelled, impatient])
    call.open()
    expect(await session.capture((state) => state?.diff)).toEqual([])
    expect(session.calls.map(({ serverName }) => serverName)).toEqual([gold[0]!.tool])
  })

  test('has any number of calls under way without a word of Node about listeners', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }) })
    const session = await broker.open(wanted)
    const asked = Array.from({ length: 20 }, () => session.call(gold[0]!.tool, gold[0]!.arguments))
    await new Promise(setImmediate)
    call.open()
    for (const { result } of await Promise.all(asked)) expect(result.ok).toBe(true)
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('goes back to its first state behind the same handle', async () => {
    const broker = await openBroker()
    const session = await broker.open(wanted)
    await session.call(write.tool, write.arguments)
    await session.reset()
    expect(session.calls).toEqual([])
    expect(await session.capture((state) => state?.diff)).toEqual([])
    expect(broker.get(session.handle)).toBe(session)
  })

  test('never shares rows with another session of the same environment', async () => {
    const broker = await openBroker()
    const [one, other] = await Promise.all([broker.open(wanted), broker.open(wanted)])
    const written = await one!.call(write.tool, write.arguments)
    expect(await other!.capture((state) => state?.diff)).toEqual([])
    const again = await other!.call(write.tool, write.arguments)
    expect(again.diff).toEqual(written.diff)
    expect(again.text).toBe(written.text)
  })

  test('cuts a result of 300,000 characters, tells how much is missing, and keeps no more of it', async () => {
    const world = answering(() => ({ ok: true, content: 'x'.repeat(300_000) }))
    const broker = await openBroker({ world, limits: { maxResultChars: 20_000 } })
    const session = await broker.open(wanted)
    const { text, result } = await session.call('peek', {})
    expect(text.length).toBeLessThan(20_200)
    expect(text).toContain('280000 of 300000 characters are missing')
    expect(result).toEqual({ ok: true, content: { $cut: { characters: 300_000, shown: 20_000 } } })
  })

  test.each([
    ['holds a BigInt', () => ({ ok: true, content: { n: 9_007_199_254_740_993n } })],
    ['is nothing', () => undefined],
    ['has no content', () => ({ ok: true })],
    [
      'is thrown',
      () => {
        throw new Error('boom')
      },
    ],
  ])('makes a result that %s a fault of the environment that names the tool', async (_what, result) => {
    const broker = await openBroker({ world: answering(result as () => ToolResult) })
    const session = await broker.open(wanted)
    const { result: kept } = await session.call('peek', {})
    expect(kept).toMatchObject({ ok: false, error: { kind: 'environment_fault' } })
    expect(kept.ok ? '' : kept.error.message).toContain('peek')
  })

  test('refuses more calls than it can keep, until it is reset', async () => {
    const broker = await openBroker({ limits: { maxCalls: 2 } })
    const session = await broker.open(wanted)
    const read = gold[0]!
    for (const ok of [true, true, false]) expect((await session.call(read.tool, read.arguments)).result.ok).toBe(ok)
    await session.reset()
    expect((await session.call(read.tool, read.arguments)).result.ok).toBe(true)
  })

  test.each([
    ['arguments', { name: 'nowhere', args: { text: 'x'.repeat(3_000) } }],
    ['names', { name: 'x'.repeat(3_000), args: {} }],
    ['keys', { name: 'nowhere', args: { ['x'.repeat(3_000)]: 1 } }],
  ])('refuses more than it can keep of a client that sends long %s', async (_what, { name, args }) => {
    const broker = await openBroker({ limits: { maxKeptChars: 10_000, maxResultChars: 100 } })
    const session = await broker.open(wanted)
    const kinds: string[] = []
    for (let i = 0; i < 8; i++) {
      const { result } = await session.call(name, args)
      kinds.push(result.ok ? 'ok' : result.error.kind)
    }
    expect(kinds.slice(0, 3)).toEqual(['unknown_tool', 'unknown_tool', 'unknown_tool'])
    expect(kinds.slice(4)).toEqual(['timeout', 'timeout', 'timeout', 'timeout'])
    expect(session.calls.length).toBeLessThan(5)
    await session.reset()
    expect((await session.call(name, args)).result).toMatchObject({ error: { kind: 'unknown_tool' } })
  })

  test('knows no tool of the control side, on either surface', async () => {
    const broker = await openBroker()
    const session = await broker.open(wanted)
    for (const name of ['verify', 'reset', 'done', 'close', 'state', 'step', '__list_scenarios__']) {
      expect(await session.call(name, {})).toMatchObject({ result: { error: { kind: 'unknown_tool' } } })
      const meta = await session.call('call_tool', { tool_name: name }, { surface: 'meta' })
      expect(meta).toMatchObject({ result: { error: { kind: 'unknown_tool' } } })
    }
  })

  test('answers nothing any more once it is closed', async () => {
    const broker = await openBroker()
    const session = await broker.open(wanted)
    await broker.close(session.handle)
    const unknown = expect.objectContaining({ code: 'RLENV_SESSION_UNKNOWN' })
    expect(() => session.call('peek', {})).toThrow(unknown)
    await expect(session.verify(null)).rejects.toThrow(unknown)
    await expect(session.reset()).rejects.toThrow(unknown)
  })
})

test('what a client did is a trajectory as rollouts have it', async () => {
  const broker = await openBroker({ environments: [tinyEnvironment()] })
  const session = await broker.open(wanted)
  for (const { tool, arguments: args } of gold) await session.call(tool, args)
  const { task, seed, calls } = session
  const trajectory = sessionTrajectory({ task: task!, seed, calls, answer: 'done', diff: [] })
  expect(trajectorySchema.safeParse(trajectory).error).toBeUndefined()
  expect(trajectory.turns).toHaveLength(gold.length + 1)
  for (const { messageIndex } of trajectory.turns) expect(trajectory.messages[messageIndex]?.role).toBe('assistant')
})
