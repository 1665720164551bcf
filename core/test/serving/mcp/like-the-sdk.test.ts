import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { describe, expect, test } from 'vitest'
import { createMcpServer } from '../../../src/serving/mcp/create-mcp-server.ts'
import type { Session } from '../../../src/serving/session.ts'
import { library, serveLibrary } from '../served-library.ts'
import { post } from './transcript.ts'

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
const list = '{"jsonrpc":"2.0","id":"list","method":"tools/list"}'
const { tool, arguments: args } = library.tasks[0]!.gold.calls.at(-1)!
const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: tool, arguments: args, _meta: { progressToken: 1 } },
})

/** Requests whose status and body must be those of the SDK's stateless transport in JSON mode. */
const requests: Readonly<Record<string, RequestInit>> = {
  ping: post(ping),
  initialize: post(initialize),
  'an initialize in a version nobody knows': post(initialize.replace('2025-06-18', '2099-01-01')),
  notification: post(initialized),
  'a reply to nothing': post('{"jsonrpc":"2.0","id":1,"result":{}}'),
  list: post(list),
  call: post(call),
  'a call with a task': post(call.replace('"arguments"', '"ignored":1,"arguments"')),
  'an unknown tool': post(call.replace(tool, 'nope')),
  'an unknown method': post(list.replace('tools/list', 'prompts/list')),
  batch: post(`[${ping},${call},${initialized},${list}]`),
  'a batch of notifications': post(`[${initialized},${initialized}]`),
  'a batch of one': post(`[${ping}]`),
  'a batch with a bad message': post(`[${ping},{"jsonrpc":"2.0"}]`),
  'a batch that is too long': post(`[${Array.from({ length: 101 }, () => ping).join(',')}]`),
  'a batch with initialize': post(`[${initialize},${ping}]`),
  'no JSON': post('{"jsonrpc":'),
  'no object': post('"ping"'),
  null: post('null'),
  'another JSON-RPC': post(ping.replace('2.0', '1.0')),
  'an id of null': post(ping.replace('1', 'null')),
  'a fractional id': post(ping.replace('"id":1', '"id":1.5')),
  'a key too many': post(ping.replace('"id":1', '"id":1,"extra":true')),
  'params that are a list': post(ping.replace('"id":1', '"id":1,"params":[]')),
  'a body that is too long': post(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(5_000) } }),
  ),
  'no Accept': post(ping, { accept: '*/*' }),
  'half an Accept': post(ping, { accept: 'application/json' }),
  'another content type': post(ping, { 'content-type': 'text/plain; a=application/json' }),
  'a content type with parameters': post(ping, { 'content-type': 'Application/JSON; charset=utf-8' }),
  'a known version': post(ping, { 'mcp-protocol-version': '2025-03-26' }),
  'an unknown version': post(ping, { 'mcp-protocol-version': '1.0' }),
  'an unknown version at the start': post(initialize, { 'mcp-protocol-version': '1.0' }),
}

async function throughSdk(session: Session, init: RequestInit) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: 4_096,
  })
  const server = createMcpServer(session)
  await server.connect(transport as Parameters<typeof server.connect>[0])
  const answer = await read(await transport.handleRequest(new Request('http://localhost/mcp', init)))
  await server.close()
  return answer
}

async function read(response: Response) {
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) }
}

describe('MCP over HTTP answers as the SDK does', () => {
  test.each(Object.entries(requests))('to %s', async (_what, init) => {
    const server = await serveLibrary({ maxBodyBytes: 4_096 })
    const open = () => server.broker.open({ environmentId: library.id })
    const [ours, theirs] = [await open(), await open()]
    const expected = await throughSdk(theirs, init)
    const answer = await read(await fetch(server.mcpUrl(ours.handle), init))
    if (expected.status === 413) expect(answer).toMatchObject({ status: 413, body: { error: { code: -32_000 } } })
    else expect(answer).toEqual(expected)
    expect(await ours.capture((state) => state?.diff)).toEqual(await theirs.capture((state) => state?.diff))
  })
})

test('GET, DELETE and an empty batch are refused, where the SDK opens a stream, closes and says nothing', async () => {
  const server = await serveLibrary()
  const { handle } = await server.broker.open({ environmentId: library.id })
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(server.mcpUrl(handle), { method, headers: { accept: 'text/event-stream' } })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } })
  }
  expect((await read(await fetch(server.mcpUrl(handle), post('[]')))).body).toMatchObject({ error: { code: -32_600 } })
  expect(server.broker.get(handle)?.isClosed).toBe(false)
})

test('a handle that names no session is 404, so that clients start over', async () => {
  const server = await serveLibrary()
  const response = await read(await fetch(server.mcpUrl('AAAA'), post(ping)))
  expect(response).toMatchObject({
    status: 404,
    body: { jsonrpc: '2.0', error: { message: expect.stringContaining('no open session') } },
  })
})
