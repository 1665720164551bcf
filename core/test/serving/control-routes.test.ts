import { describe, expect, test } from 'vitest'
import { Gate, GatedWorld } from './gated-world.ts'
import { control, controlToken, library, type OpenedSession, serveLibrary } from './served-library.ts'

const wanted = { environmentId: library.id }

interface Problem {
  readonly error: { readonly code: string | null; readonly message: string; readonly position?: number }
}

describe('the control plane', () => {
  test('cannot be reached with anything an agent holds', async () => {
    const server = await serveLibrary({ token: 'for-agents' })
    const { handle } = await server.broker.open(wanted)
    for (const token of [null, 'for-agents', handle, '', `${controlToken}x`]) {
      for (const [method, path] of [
        ['GET', '/environments'],
        ['GET', '/sessions'],
        ['POST', '/sessions'],
        ['POST', `/sessions/${handle}/verify`],
        ['POST', `/sessions/${handle}/reset`],
        ['DELETE', `/sessions/${handle}`],
      ] as const) {
        const { status } = await control(server, method, path, method === 'POST' ? {} : undefined, token)
        expect(status).toBe(401)
      }
    }
    expect(server.broker.get(handle)?.calls).toEqual([])
  })

  test('lists environments with tasks and tools, and keeps gold solutions to itself', async () => {
    const server = await serveLibrary()
    const { body } = await control(server, 'GET', '/environments')
    expect(body.environments).toEqual([
      {
        id: library.id,
        name: library.scenario.name,
        tools: library.tools.length,
        tasks: library.tasks.map(({ id }) => id),
      },
    ])
    const { body: details } = await control(server, 'GET', `/environments/${library.id}`)
    expect(JSON.stringify(details)).not.toContain('gold')
    expect(details.tasks).toHaveLength(library.tasks.length)
    expect((await control(server, 'GET', '/environments/none')).status).toBe(404)
  })

  test('says everything that is wrong with a body', async () => {
    const server = await serveLibrary()
    const { status, body } = await control<Problem>(server, 'POST', '/sessions', { environment: 'x', seed: 'ten' })
    expect(status).toBe(400)
    for (const word of ['environmentId', 'environment: unknown key', 'seed']) expect(body.error.message).toContain(word)
    expect((await control(server, 'POST', '/sessions', { environmentId: 'nope' })).status).toBe(400)
  })

  test('takes bodies as long as every other door does', async () => {
    const server = await serveLibrary({ maxBodyBytes: 3 * 1024 ** 2 })
    const { handle } = await server.broker.open({ ...wanted, taskId: library.tasks[0]?.id })
    const verify = (mib: number) =>
      control<Problem>(server, 'POST', `/sessions/${handle}/verify`, { answer: 'x'.repeat(mib * 1024 ** 2) })
    expect((await verify(2)).status).toBe(200)
    expect(await verify(3)).toMatchObject({ status: 413 })
  })

  test('gives equal worlds for equal seeds and says when a lease ends', async () => {
    const server = await serveLibrary({ leaseMs: 60_000 })
    const { body } = await control<OpenedSession>(server, 'POST', '/sessions', { ...wanted, seed: 5, surface: 'meta' })
    expect(body).toMatchObject({ seed: 5, surface: 'meta', calls: 0, busy: false })
    expect(body.expiresAt - Date.now()).toBeGreaterThan(50_000)
    expect((await control(server, 'POST', `/sessions/${body.handle}/heartbeat`)).status).toBe(200)
    const { body: listed } = await control(server, 'GET', '/sessions')
    expect(listed).toMatchObject({ sessions: [{ handle: body.handle }], counts: { open: 1, taken: 1 } })
  })

  test('shows whole tables where they are asked for, up to a bound', async () => {
    const server = await serveLibrary()
    const { handle } = await server.broker.open(wanted)
    const { body } = await control(server, 'POST', `/sessions/${handle}/capture`, {
      tables: ['members', 'books'],
      maxRows: 8,
    })
    expect(body).toMatchObject({ diff: [], cut: ['books'], tableNames: ['books', 'loans', 'members'] })
    expect((body.tables as { members: unknown[] }).members).toHaveLength(8)
    expect((await control(server, 'POST', `/sessions/${handle}/capture`, { tables: ['nope'] })).status).toBe(400)
  })

  test('knows no session that is closed', async () => {
    const server = await serveLibrary()
    const { handle } = await server.broker.open(wanted)
    expect((await control(server, 'DELETE', `/sessions/${handle}`)).status).toBe(200)
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', ''],
      ['POST', '/heartbeat'],
      ['POST', '/verify'],
    ] as const) {
      const { status, body } = await control<Problem>(server, method, `/sessions/${handle}${path}`)
      expect([status, body.error.code]).toEqual([404, 'RLENV_SESSION_UNKNOWN'])
      expect(body.error.message).not.toContain(handle)
    }
  })

  test('waits for a place as long as it is told to, and then says where in the queue it stood', async () => {
    const server = await serveLibrary({ capacity: 1, queueLimit: 1 })
    await server.broker.open(wanted)
    const late = await control<Problem>(server, 'POST', '/sessions', { ...wanted, waitMs: 30 })
    expect(late).toMatchObject({ status: 503, body: { error: { code: 'RLENV_SERVER_FULL', position: 1 } } })
    expect(server.broker.counts).toMatchObject({ queued: 0, taken: 1 })
  })

  test('gives a world the time that it takes to open, however short the wait for its place may be', async () => {
    const gate = new Gate()
    const server = await serveLibrary({ capacity: 1, world: new GatedWorld({ open: gate }) })
    const opening = control<OpenedSession>(server, 'POST', '/sessions', { ...wanted, waitMs: 0 })
    await expect.poll(() => gate.waiting).toBe(1)
    const late = await control<Problem>(server, 'POST', '/sessions', { ...wanted, waitMs: 0 })
    expect(late).toMatchObject({ status: 503, body: { error: { position: 1 } } })
    gate.open()
    expect((await opening).status).toBe(201)
  })

  test('streams the place in the queue to a client that asks for lines, and lets go of one that hangs up', async () => {
    const server = await serveLibrary({ capacity: 1 })
    const first = await server.broker.open(wanted)
    const ask = (signal?: AbortSignal) =>
      fetch(`${server.address.url}/control/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${controlToken}`, accept: 'application/x-ndjson' },
        body: JSON.stringify(wanted),
        ...(signal === undefined ? {} : { signal }),
      })
    const gone = new AbortController()
    await ask(gone.signal)
    expect(server.broker.counts.queued).toBe(1)
    const response = await ask()
    gone.abort()
    await expect.poll(() => server.broker.counts.queued).toBe(1)
    await server.broker.close(first.handle)
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ status, position }) => [status, position])).toEqual([
      ['queued', 2],
      ['queued', 1],
      ['open', undefined],
    ])
    expect([...server.broker.sessions()].map(({ handle }) => handle)).toEqual([lines.at(-1).handle])
    expect(server.broker.counts.taken).toBe(1)
  })
})

test('health says nothing but that it is healthy, and metrics count sessions, calls and lag', async () => {
  const server = await serveLibrary({ token: 'for-agents' })
  expect(await (await fetch(`${server.address.url}/health`)).json()).toMatchObject({ status: 'healthy' })
  expect((await fetch(`${server.address.url}/metrics`)).status).toBe(401)
  const session = await server.broker.open(wanted)
  const read = library.tools.find(({ effect }) => effect === 'read')!
  await session.call(read.name, { no: 'such argument' })
  await session.call('nope', {})
  const { tool, arguments: args } = library.tasks[0]!.gold.calls.at(-1)!
  await session.call(tool, args)
  const headers = { authorization: 'Bearer for-agents' }
  const text = await (await fetch(`${server.address.url}/metrics`, { headers })).text()
  for (const line of [
    'rlenv_sessions_open 1',
    'rlenv_sessions_opened_total 1',
    'rlenv_sessions_reaped_total 0',
    'rlenv_tool_calls_total{kind="read",outcome="invalid_arguments"} 1',
    'rlenv_tool_calls_total{kind="none",outcome="unknown_tool"} 1',
    'rlenv_tool_calls_total{kind="write",outcome="ok"} 1',
    'rlenv_tool_call_seconds_count 3',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(text).toMatch(/rlenv_event_loop_lag_seconds\{quantile="0.99"\} \d/)
})

test('lag is what the event loop was late, and nothing where it was in time', async () => {
  const server = await serveLibrary()
  const lag = async (quantile: string) => {
    const text = await (await fetch(`${server.address.url}/metrics`)).text()
    return Number(new RegExp(`lag_seconds\\{quantile="${quantile}"\\} (\\S+)`).exec(text)?.[1])
  }
  await lag('1')
  await new Promise((resolve) => setTimeout(resolve, 200))
  // Twenty milliseconds from one look to the next, which is no lag, would be the least otherwise.
  expect(await lag('0.5')).toBeLessThan(0.015)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const until = performance.now() + 300
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await lag('1')).toBeGreaterThan(0.2)
})
