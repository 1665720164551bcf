import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/determinism/clock.ts'
import { PolicyNames } from '../../src/environment/tools/policy-names.ts'
import { ContextOverflow } from '../../src/rollout/context-overflow.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { CounterInstance, CounterWorld, contentsOf, refusal } from './counter-environment.ts'
import { play } from './play.ts'

const add = (by: number) => ({ tool: 'add', arguments: { by } })
const never = () => new Promise<never>(() => {})

describe('what a world does wrong', () => {
  test('a tool that never answers ends the wait, and the policy is told; the write was sent once', async () => {
    let sent = 0
    const world = new CounterWorld(
      () =>
        new CounterInstance({
          call: (name) => {
            if (name !== 'add') return undefined
            sent++
            return never()
          },
        }),
    )
    const policy = scriptedPolicy([add(1), { tool: 'read', arguments: {} }, 'Done.'])
    const { trajectory } = await play({ world, policy, limits: { toolTimeoutMs: 20 } })
    expect(sent).toBe(1)
    expect(trajectory.stopReason.kind).toBe('terminated')
    expect(contentsOf(trajectory.messages, 'tool')[0]).toContain('add did not answer within 20 ms; it may still take')
  })

  test.each(['direct', 'meta'] as const)(
    'a call that is not answered is recorded under the tool’s own name and its arguments on the %s surface',
    async (surface) => {
      const tools = [{ name: 'stock.count', description: '', inputSchema: { type: 'object' }, readOnly: true }]
      const world = new CounterWorld(() => Object.assign(new CounterInstance({ call: never }), { tools }))
      const name = new PolicyNames(['stock.count']).policyName('stock.count') ?? ''
      const args = { sku: 'A' }
      const call =
        surface === 'direct'
          ? { tool: name, arguments: args }
          : { tool: 'call_tool', arguments: { tool_name: name, arguments: args } }
      const policy = scriptedPolicy([call, 'Done.'])
      const { trajectory } = await play({ world, policy, limits: { toolTimeoutMs: 10 }, options: { surface } })
      expect(trajectory.turns[0]!.calls[0]).toMatchObject({
        name: call.tool,
        serverName: 'stock.count',
        arguments: args,
        result: { error: { kind: 'timeout' } },
      })
    },
  )

  test('a result that comes after its timeout changes nothing in the trajectory', async () => {
    const late = (name: string, args: unknown, instance: CounterInstance) =>
      name === 'add'
        ? new Promise((resolve) => setTimeout(() => resolve(instance.answer(name, args as never)), 40))
        : undefined
    const world = new CounterWorld(() => new CounterInstance({ call: late }))
    const policy = scriptedPolicy(({ messages }) => (messages.length < 4 ? add(1) : 'Done.'))
    const { trajectory } = await play({ world, policy, limits: { toolTimeoutMs: 10 } })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(trajectory.turns[0]!.calls).toHaveLength(1)
    expect(trajectory.turns[0]!.calls[0]!.result).toMatchObject({ ok: false, error: { kind: 'timeout' } })
  })

  test.each([
    ['returns nothing', () => null, 'malformed_result', 'add returned no result'],
    [
      'returns a BigInt',
      () => ({ result: { ok: true, content: { n: 9007199254740993n } }, diff: [] }),
      'malformed_result',
      /^add: .*BigInt/,
    ],
    ['returns no content', () => ({ result: { ok: true }, diff: [] }), 'malformed_result', /^add: the result is undef/],
    ['throws', () => Promise.reject(new Error('socket closed')), 'tool_crashed', 'add failed: socket closed'],
    ['reports its own fault', () => refusal('environment_fault', 'disk I/O error'), 'environment_fault', /disk I\/O/],
  ])('a tool that %s is a fault of the environment, with the tool named', async (_what, call, code, message) => {
    const world = new CounterWorld(() => new CounterInstance({ call }))
    const { trajectory } = await play({ world, policy: scriptedPolicy([add(1), 'Done.']) })
    expect(trajectory.stopReason).toMatchObject({ kind: 'faulted', in: 'environment', code })
    expect(trajectory.stopReason).toMatchObject({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  test('a world that does not open is a fault of the environment', async () => {
    const world = new CounterWorld(() => {
      throw new Error('no such image')
    })
    const { trajectory, world: open } = await play({ world, policy: scriptedPolicy(['Done.']) })
    expect(open).toBeNull()
    expect(trajectory.stopReason).toMatchObject({ in: 'environment', code: 'world_open_failed' })
  })

  test('a state that is not shown in time leaves the changes of the calls', async () => {
    const world = new CounterWorld(() => Object.assign(new CounterInstance(), { capture: never }))
    const policy = scriptedPolicy([add(1), add(2), 'Done.'])
    const { trajectory } = await play({ world, policy, limits: { toolTimeoutMs: 20 } })
    expect(trajectory.diff).toMatchObject([{ after: { value: 1 } }, { after: { value: 3 } }])
  })

  test('a huge result is cut with a notice of what is missing, and kept once', async () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id }))
    const world = new CounterWorld(
      () => new CounterInstance({ call: () => ({ result: { ok: true, content: rows }, diff: [] }) }),
    )
    const { trajectory } = await play({
      world,
      policy: scriptedPolicy([add(1), 'Done.']),
      limits: { maxResultChars: 500 },
    })
    const total = JSON.stringify(rows).length
    expect(contentsOf(trajectory.messages, 'tool')[0]).toBe(
      `${JSON.stringify(rows).slice(0, 500)}\n[${total - 500} of ${total} characters are missing here; ask for less]`,
    )
    expect(JSON.stringify(trajectory).length).toBeLessThan(4000)
  })
})

describe('what a model does wrong', () => {
  test('a policy that rejects is a fault of the model service', async () => {
    const policy = scriptedPolicy(() => {
      throw new Error('529 overloaded')
    })
    expect((await play({ policy })).trajectory.stopReason).toEqual({
      kind: 'faulted',
      in: 'model',
      code: 'model_error',
      message: 'scripted failed: 529 overloaded',
    })
  })

  test('a message that does not come in time is a fault of the model service', async () => {
    const policy = scriptedPolicy(['Done.'], { delayMs: 60_000 })
    const { trajectory } = await play({ policy, limits: { turnTimeoutMs: 20 } })
    expect(trajectory.stopReason).toMatchObject({ in: 'model', code: 'turn_timeout' })
  })

  test('a reply that is none is a fault of the model service', async () => {
    const policy = { name: 'odd', policyVersion: 0, sample: () => ({}) as never }
    expect((await play({ policy })).trajectory.stopReason).toMatchObject({ in: 'model', code: 'malformed_reply' })
  })

  test('a context that overflows truncates the rollout', async () => {
    const policy = scriptedPolicy((_request, turn) => {
      if (turn === 0) return add(1)
      throw new ContextOverflow('too long')
    })
    expect((await play({ policy })).trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'context' })
  })

  test('time that runs out before the first message is the model service’s, later it is the policy’s own', async () => {
    const turnTimeoutMs = 60_000
    const silent = await play({
      policy: scriptedPolicy(['Done.'], { delayMs: 60_000 }),
      limits: { turnTimeoutMs, rolloutTimeoutMs: 30 },
    })
    expect(silent.trajectory.stopReason).toMatchObject({ in: 'model', code: 'rollout_timeout' })
    let now = 0
    const clock = { ...systemClock, now: () => now }
    const spending = scriptedPolicy(() => {
      now += 12_000
      return add(1)
    })
    const slow = await play({ policy: spending, clock, limits: { turnTimeoutMs, rolloutTimeoutMs: 30_000 } })
    expect(slow.trajectory.turns).toHaveLength(3)
    expect(slow.trajectory.stopReason).toEqual({ kind: 'truncated', limit: 'wall-clock' })
  })
})

describe('cancellation', () => {
  test('ends a rollout that waits for its policy', async () => {
    const abort = new AbortController()
    const playing = play({ policy: scriptedPolicy(['Done.'], { delayMs: 60_000 }), signal: abort.signal })
    abort.abort()
    expect((await playing).trajectory.stopReason).toMatchObject({ kind: 'cancelled' })
  })

  test('ends a rollout that waits for a tool', async () => {
    const abort = new AbortController()
    const world = new CounterWorld(() => new CounterInstance({ call: never }))
    const playing = play({ world, policy: scriptedPolicy([add(1)]), signal: abort.signal })
    setTimeout(() => abort.abort(), 5)
    expect((await playing).trajectory.stopReason).toEqual({ kind: 'cancelled', message: 'cancelled while add ran' })
  })
})
