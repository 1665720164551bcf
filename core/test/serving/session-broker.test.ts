import { tinyEnvironment } from 'rlenv/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import type { WorldInstance, WorldRequest } from '../../src/hooks/world.ts'
import { SessionBroker } from '../../src/serving/session-broker.ts'
import { Gate, GatedWorld } from './gated-world.ts'
import { library, ManualClock, openBroker } from './served-library.ts'

const anyTask = library.tasks[0]!.id
const wanted = { environmentId: library.id }

describe('SessionBroker', () => {
  test('gives every session a handle of its own that holds 192 random bits', async () => {
    const broker = await openBroker()
    const handles = await Promise.all(Array.from({ length: 50 }, async () => (await broker.open(wanted)).handle))
    expect(new Set(handles).size).toBe(50)
    for (const handle of handles) expect(handle).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })

  test('refuses a world that returns one instance to two sessions, or again at a reset, and leaves the first its own', async () => {
    const inner = new ExecutableWorld()
    let only: Promise<WorldInstance> | undefined
    const open = (request: WorldRequest) => {
      only ??= Promise.resolve(inner.open(request))
      return only
    }
    const broker = await openBroker({ world: { name: 'shared', open, close: () => inner.close() } })
    const first = await broker.open(wanted)
    const refusal = expect.objectContaining({ code: 'RLENV_WORLD_SHARED', message: expect.stringContaining('shared') })
    await expect(broker.open(wanted)).rejects.toThrow(refusal)
    await expect(first.reset()).rejects.toThrow(refusal)
    expect(broker.counts).toMatchObject({ open: 1, taken: 1 })
    const { tool, arguments: args } = library.tasks[0]!.gold.calls[0]!
    expect((await first.call(tool, args)).result.ok).toBe(true)
  })

  test('closes a session whose lease has run out, and a call or a heartbeat starts the lease again', async () => {
    const clock = new ManualClock()
    const broker = await openBroker({ clock, leaseMs: 1_000 })
    const silent = await broker.open(wanted)
    const called = await broker.open(wanted)
    const beating = await broker.open(wanted)
    const kept = await broker.open({ ...wanted, leaseMs: Number.POSITIVE_INFINITY })
    clock.advance(900)
    await called.call(library.tools[0]!.name, {})
    broker.heartbeat(beating.handle)
    clock.advance(200)
    expect(await broker.reap()).toBe(1)
    expect(broker.get(silent.handle)).toBeUndefined()
    expect([called, beating, kept].every(({ handle }) => broker.get(handle) !== undefined)).toBe(true)
    expect(() => broker.heartbeat(silent.handle)).toThrow(expect.objectContaining({ code: 'RLENV_SESSION_UNKNOWN' }))
    clock.advance(1_000_000)
    expect(await broker.reap()).toBe(2)
    expect(broker.counts).toMatchObject({ open: 1, taken: 1, reaped: 3, closed: 3 })
  })

  test('reaps by itself', async () => {
    const broker = await openBroker({ leaseMs: 100 })
    await broker.open(wanted)
    await expect.poll(() => broker.counts.reaped, { timeout: 3_000 }).toBe(1)
  })

  test('does not reap a session in the middle of a call before the call must have ended', async () => {
    const clock = new ManualClock()
    const call = new Gate()
    const limits = { toolTimeoutMs: 60_000 }
    const broker = await openBroker({ clock, leaseMs: 1_000, world: new GatedWorld({ call }), limits })
    const session = await broker.open(wanted)
    const answer = session.call(library.tools[0]!.name, {})
    clock.advance(30_000)
    expect(await broker.reap()).toBe(0)
    call.open()
    await answer
    clock.advance(1_001)
    expect(await broker.reap()).toBe(1)
  })

  test('opens a queued session as soon as one is closed, and reports its place until then', async () => {
    const broker = await openBroker({ capacity: 1, queueLimit: 1 })
    const first = await broker.open(wanted)
    const positions: number[] = []
    const second = broker.open({ ...wanted, onQueued: (position) => void positions.push(position) })
    await expect(broker.open(wanted)).rejects.toMatchObject({ code: 'RLENV_SERVER_FULL' })
    expect(broker.counts).toMatchObject({ queued: 1, refused: 1 })
    await broker.close(first.handle)
    expect((await second).isClosed).toBe(false)
    expect(positions).toEqual([1])
  })

  test('frees a place once, however often and from wherever a session is closed', async () => {
    const clock = new ManualClock()
    const broker = await openBroker({ capacity: 2, clock, leaseMs: 10 })
    const [a, b] = [await broker.open(wanted), await broker.open(wanted)]
    clock.advance(20)
    await Promise.all([
      broker.close(a.handle),
      broker.close(a.handle),
      broker.reap(),
      broker.reap(),
      broker.close(b.handle),
    ])
    expect(broker.counts).toMatchObject({ taken: 0, open: 0, closed: 2 })
    await Promise.all([broker.open(wanted), broker.open(wanted)])
    expect(broker.counts.taken).toBe(2)
  })

  test('loses no place to a world that fails to open, opens too late, or does not close', async () => {
    const broken = { ...library, id: 'broken', database: { ...library.database, schema: 'CREATE TABLE' } }
    const open = new Gate()
    const late = new GatedWorld({ open })
    const slow = new SessionBroker({ environments: [library], world: late, capacity: 1, worldTimeoutMs: 20 })
    await expect(slow.open(wanted)).rejects.toMatchObject({ code: 'RLENV_WORLD_UNAVAILABLE' })
    open.open()
    await expect.poll(() => late.closed).toBe(1)
    expect(slow.counts).toMatchObject({ taken: 0, open: 0 })

    const lines: string[] = []
    const stuck = new SessionBroker({
      environments: [library, broken],
      world: new GatedWorld({ close: new Gate() }),
      capacity: 1,
      worldTimeoutMs: 20,
      log: (line) => void lines.push(line),
    })
    await expect(stuck.open({ environmentId: 'broken' })).rejects.toMatchObject({ code: 'RLENV_DATABASE_INVALID' })
    const session = await stuck.open(wanted)
    await stuck.close(session.handle)
    expect(stuck.counts).toMatchObject({ taken: 0, closed: 1 })
    expect(lines).toEqual([`a world of ${library.id} did not close: no answer within 20 ms`])
    await Promise.all([slow.shutdown(), stuck.shutdown()])
  })

  test('closes a session that is stuck in a call for ever, and its place is free', async () => {
    const world = new GatedWorld({ call: new Gate() })
    const broker = await openBroker({ world, capacity: 1, limits: { toolTimeoutMs: 20 } })
    const session = await broker.open(wanted)
    expect(await session.call(library.tools[0]!.name, {})).toMatchObject({ result: { error: { kind: 'timeout' } } })
    await broker.close(session.handle)
    expect(broker.counts.taken).toBe(0)
    expect((await broker.open(wanted)).isClosed).toBe(false)
  })

  test('sends everybody in the queue away when it shuts down and opens nothing after', async () => {
    const broker = await openBroker({ capacity: 1 })
    await broker.open(wanted)
    const waiting = broker.open(wanted)
    const over = broker.shutdown()
    await expect(waiting).rejects.toMatchObject({ code: 'RLENV_SERVER_CLOSED' })
    await over
    await expect(broker.open(wanted)).rejects.toMatchObject({ code: 'RLENV_SERVER_CLOSED' })
    expect(broker.counts).toMatchObject({ taken: 0, open: 0, queued: 0 })
  })

  test('names what was probably meant when an environment or a task is not served', async () => {
    const broker = await openBroker()
    await expect(broker.open({ environmentId: `${library.id}x` })).rejects.toMatchObject({
      code: 'RLENV_USAGE',
      fix: expect.stringContaining(library.id),
    })
    await expect(broker.open({ ...wanted, taskId: `${anyTask}x` })).rejects.toMatchObject({ code: 'RLENV_USAGE' })
    const short = anyTask.slice(library.id.length + 1)
    expect((await broker.open({ ...wanted, taskId: short })).task?.id).toBe(anyTask)
  })

  test('serves the other environments when one cannot be loaded', async () => {
    const broken = {
      ...library,
      id: 'broken',
      database: { ...library.database, data: 'INSERT INTO nowhere VALUES (1)' },
    }
    const broker = await openBroker({ environments: [broken, library] })
    await expect(broker.open({ environmentId: 'broken' })).rejects.toThrow()
    expect((await broker.open(wanted)).environment.id).toBe(library.id)
  })

  test('keeps 10,000 sessions that were opened and abandoned from holding memory or capacity', async () => {
    const clock = new ManualClock()
    const broker = await openBroker({ clock, leaseMs: 1_000, capacity: 500, queueLimit: 0 })
    const [write] = library.tasks[0]!.gold.calls.slice(-1)
    const round = async () => {
      for (let i = 0; i < 500; i++) {
        const session = await broker.open(wanted)
        if (i % 10 === 0) await session.call(write!.tool, write!.arguments)
      }
      clock.advance(1_001)
      await broker.reap()
    }
    await round()
    const before = await settledHeap()
    for (let i = 0; i < 20; i++) await round()
    expect(broker.counts).toMatchObject({ taken: 0, open: 0, opened: 10_500, reaped: 10_500 })
    // A session that nobody calls keeps more than 1 KB alive: 10,000 of them would show.
    expect((await settledHeap()) - before).toBeLessThan(8_000_000)
  }, 30_000)
})

async function settledHeap(): Promise<number> {
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

test('a broker without a pipeline answers every verdict unscored and says why', async () => {
  const broker = new SessionBroker({ environments: [tinyEnvironment()] })
  onTestFinished(() => broker.shutdown())
  const session = await broker.open({ ...wanted, taskId: anyTask })
  expect(await session.verify('42')).toMatchObject({ kind: 'unscored', passed: false })
  const untasked = await broker.open(wanted)
  expect(await untasked.verify(null)).toMatchObject({ kind: 'unscored', reason: 'the session has no task' })
})
