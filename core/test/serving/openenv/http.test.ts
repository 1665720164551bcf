import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/vocabulary/json.ts'
import { eventually, openDoor, TestClient, type TestDoor } from './door.ts'
import { slowWorld } from './slow-world.ts'

describe('over HTTP', () => {
  let door: TestDoor
  beforeAll(async () => {
    door = await openDoor({ openenv: { maxBodyBytes: 50_000 } })
  })
  afterAll(() => door.close())

  const get = async (path: string) => (await fetch(door.http + path)).json() as Promise<JsonObject>

  async function post(path: string, body: Json | string): Promise<{ status: number; body: JsonObject }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(door.http + path, { method: 'POST', body: text })
    return { status: response.status, body: (await response.json()) as JsonObject }
  }

  async function rpc(method: string, params: JsonObject = {}, prefix = ''): Promise<JsonObject> {
    const { status, body } = await post(`${prefix}/mcp`, { jsonrpc: '2.0', method, params, id: 9 })
    expect([status, body.jsonrpc, body.id]).toEqual([200, '2.0', 9])
    return body
  }

  it.each(['', '/awm'])('a server says below "%s" what its validator asks for', async (prefix) => {
    expect(await get(`${prefix}/health`)).toEqual({ status: 'healthy' })
    expect(await get(`${prefix}/metadata`)).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const schema = await get(`${prefix}/schema`)
    for (const part of ['action', 'observation', 'state']) expect(schema[part]).toMatchObject(expect.any(Object))
    const openapi = await get(`${prefix}/openapi.json`)
    expect(openapi.info).toMatchObject({ version: expect.stringMatching(/^1\./) })
    expect(Object.keys(openapi.paths as JsonObject)).toEqual(expect.arrayContaining(['/reset', '/step', '/state']))
    expect(await get(`${prefix}/state`)).toEqual({ episode_id: null, step_count: 0 })
    const { status, body } = await post(`${prefix}/mcp`, {})
    expect([status, body.jsonrpc]).toEqual([200, '2.0'])
    for (const page of ['/docs', '/redoc']) expect((await fetch(door.http + prefix + page)).status).toBe(200)
  })

  it('a reset and a step have a world that ends with the answer', async () => {
    expect(await post('/reset', '')).toMatchObject({
      status: 200,
      body: { observation: { task_id: 'library-1/lend' }, reward: null, done: false },
    })
    expect(await post('/reset', { seed: 4 })).toMatchObject({ body: { observation: { task_id: 'library-2/lend' } } })
    const step = { action: { type: 'call_tool', tool_name: 'list_loans', arguments: { member_id: 1 } }, timeout_s: 3 }
    expect(await post('/step', step)).toMatchObject({ status: 200, body: { observation: { error: null } } })
    expect(door.broker.counts.taken).toBe(0)
  })

  it.each<[string, Json | string, (string | number)[]]>([
    ['/reset', '{', ['body']],
    ['/reset', '[]', ['body']],
    ['/reset', { seed: -1 }, ['body', 'seed']],
    ['/reset', { episode_id: 'x'.repeat(256) }, ['body', 'episode_id']],
    ['/step', '', ['body']],
    ['/step', {}, ['body', 'action']],
    ['/step', { action: [] }, ['body', 'action']],
    ['/step', { action: { type: 'list_tools' }, timeout_s: 0 }, ['body', 'timeout_s']],
    ['/step', { action: { type: 'jump' } }, ['type']],
  ])('POST %s with %j is 422 and names the field', async (path, body, loc) => {
    const answer = await post(path, body)
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, msg: expect.any(String) }] } })
  })

  it('a step is waited for as long as it says', async () => {
    const slow = await openDoor({ broker: { world: slowWorld(300) } })
    const action = { type: 'call_tool', tool_name: 'list_loans', arguments: { member_id: 1 } }
    const body = JSON.stringify({ action, timeout_s: 0.05 })
    const answer = await (await fetch(`${slow.http}/step`, { method: 'POST', body })).json()
    expect(answer).toMatchObject({ observation: { error: { error_type: 'timeout' } } })
    await slow.close()
  })

  it('a body that is too long is refused', async () => {
    expect((await post('/mcp', 'x'.repeat(60_000))).status).toBe(413)
  })

  it('the AWM dialect has no HTTP, and says why', async () => {
    for (const path of ['/awm/reset', '/awm/step'])
      expect(await post(path, {})).toMatchObject({ status: 400, body: { solution: expect.any(String) } })
  })

  it('JSON-RPC lists and calls the tools of a world of its own', async () => {
    const { result } = await rpc('tools/list')
    expect((result as { tools: JsonObject[] }).tools[0]).toMatchObject({
      name: expect.any(String),
      inputSchema: { type: 'object' },
    })
    expect(await rpc('tools/call', { name: 'list_loans', arguments: { member_id: 1 } })).toMatchObject({
      result: { is_error: false, data: expect.anything() },
    })
    expect(door.broker.counts.taken).toBe(0)
  })

  it.each<[string, JsonObject, number]>([
    ['tools/call', {}, -32602],
    ['tools/call', { name: 'nope' }, -32602],
    ['tools/call', { name: 'verify' }, -32602],
    ['tools/call', { name: 'find_member', arguments: [] }, -32602],
    ['tools/call', { name: 'lend_book', arguments: { member_id: 999_999, book_id: 1 } }, -32603],
    ['tools/list', { session_id: 'nobody' }, -32602],
    ['openenv/session/close', {}, -32602],
    ['openenv/session/close', { session_id: 'nobody' }, -32602],
    ['initialize', {}, -32601],
  ])('JSON-RPC %s with %j is the error %i', async (method, params, code) => {
    expect(await rpc(method, params)).toMatchObject({ error: { code, message: expect.any(String) } })
  })

  it('a session keeps its world between requests until it is closed', async () => {
    const created = (await rpc('openenv/session/create')).result as { session_id: string }
    const { calls } = door.environments[0].tasks[0]?.gold ?? { calls: [] }
    for (const { tool, arguments: args } of calls)
      expect(await rpc('tools/call', { name: tool, arguments: args, ...created })).toHaveProperty('result')
    const socket = await TestClient.connect(`${door.ws}/ws?session_id=${created.session_id}`)
    expect(await socket.step({ type: 'verify' })).toMatchObject({ reward: 1, done: true })
    expect(await rpc('openenv/session/close', created)).toMatchObject({ result: { closed: false, closing: true } })
    await socket.close()
    await eventually(() => door.broker.counts.taken === 0)
    expect(await rpc('tools/list', created)).toMatchObject({ error: { code: -32602 } })
  })

  it('a session outlives the WebSocket that spoke for it, and takes one at a time', async () => {
    const created = (await rpc('openenv/session/create')).result as { session_id: string }
    const url = `${door.ws}/ws?session_id=${created.session_id}`
    const first = await TestClient.connect(url)
    const second = await TestClient.connect(url)
    expect(await second.ask({ type: 'state' })).toMatchObject({ type: 'error', data: { code: 'SESSION_ERROR' } })
    await first.reply({ type: 'reset', data: { task_idx: 1 } })
    await first.close()
    const third = await TestClient.connect(url)
    expect(await third.ask({ type: 'state' })).toMatchObject({
      data: { step_count: 0, episode_id: expect.any(String) },
    })
    await third.close()
    expect(await rpc('openenv/session/close', created)).toMatchObject({ result: { closed: true } })
    expect(door.broker.counts.taken).toBe(0)
  })

  it('the WebSocket of JSON-RPC has one session for all of its requests', async () => {
    const client = await TestClient.connect(`${door.ws}/mcp`)
    const ask = (method: string, params: JsonObject = {}) => client.ask({ jsonrpc: '2.0', method, params, id: 'a' })
    const created = (await ask('openenv/session/create')).result as { session_id: string }
    expect(await ask('openenv/session/close', created)).toMatchObject({ error: { code: -32600 } })
    expect(await ask('tools/call', { name: 'list_loans', arguments: { member_id: 1 } })).toHaveProperty('result')
    expect(await client.ask({ nonsense: true })).toMatchObject({ error: { code: -32600 } })
    client.socket.send('{')
    expect(await client.next()).toMatchObject({ error: { code: -32700 } })
    expect(door.broker.counts.open).toBe(1)
    await client.close()
    await eventually(() => door.broker.counts.taken === 0)
  })

  it('JSON-RPC inside an episode reaches its tools, and neither verify nor reset', async () => {
    const client = await TestClient.connect(`${door.ws}/awm/ws`)
    await client.reply({ type: 'reset', data: { scenario: 'library_1', task_idx: 0 } })
    const ask = (name: string) =>
      client.ask({ type: 'mcp', data: { jsonrpc: '2.0', method: 'tools/call', params: { name }, id: 1 } })
    for (const name of ['verify', 'done', 'reset', '__list_scenarios__'])
      expect(await ask(name)).toMatchObject({ type: 'mcp', data: { error: { code: -32602 } } })
    await client.close()
  })

  it('sessions that are left alone are closed', async () => {
    const short = await openDoor({ openenv: { idleMs: 60 } })
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'openenv/session/create' })
    const created = await (await fetch(`${short.http}/mcp`, { method: 'POST', body })).json()
    const params = (created as { result: JsonObject }).result
    const list = JSON.stringify({ jsonrpc: '2.0', method: 'tools/list', params })
    await fetch(`${short.http}/mcp`, { method: 'POST', body: list })
    expect(short.broker.counts.open).toBe(1)
    await eventually(() => short.broker.counts.taken === 0)
    await short.close()
  })

  it('the AWM dialect counts its sessions by scenario', async () => {
    const client = await TestClient.connect(`${door.ws}/awm/ws`)
    await client.reply({ type: 'reset', data: { scenario: 'library-2' } })
    expect(await get('/awm/stats')).toMatchObject({ total_sessions: 1, scenarios: { library_2: 1 } })
    await client.close()
  })
})
