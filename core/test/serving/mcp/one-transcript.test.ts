import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolSurface } from '../../../src/environment/tools/tool-surface.ts'
import { library, openBroker, serveLibrary } from '../served-library.ts'
import { inProcess, type Message, overHttp, overStdio } from './transcript.ts'

const clientInfo = { name: 'transcript', version: '1.0.0' }
const request = (id: string | number, method: string, params?: unknown): Message => {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}
const call = (id: string | number, name: unknown, args?: unknown): Message => {
  return request(id, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }) })
}
const gold = library.tasks.flatMap((task) => task.gold.calls)
const write = library.tasks[0]!.gold.calls.at(-1)!
const deep = JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`)

const transcript: readonly Message[] = [
  request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  request('ping', 'ping'),
  request(1, 'tools/list'),
  request(2, 'tools/list', { cursor: 'second page' }),
  ...gold.map(({ tool, arguments: args }, index) => call(100 + index, tool, args)),
  call('again', gold[0]!.tool, gold[0]!.arguments),
  call('unknown', 'no_such_tool', {}),
  call('control', 'verify', {}),
  call('meta', 'call_tool', { tool_name: write.tool, arguments: write.arguments }),
  call('meta-unknown', 'call_tool', { tool_name: 'no_such_tool' }),
  call('meta-list', 'list_tools'),
  call('extra', gold[0]!.tool, { ...gold[0]!.arguments, warehouse: 'moon' }),
  call('missing', gold.at(-1)!.tool),
  call('wrong', gold.at(-1)!.tool, { member_id: 'one', book_id: [] }),
  call('deep', gold[0]!.tool, { deep }),
  call('array', gold[0]!.tool, []),
  call('text', gold[0]!.tool, 'text'),
  call('no name', 7),
  request('no params', 'tools/call'),
  request('no method', 'resources/list'),
  request('again', 'initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo }),
  { jsonrpc: '2.0', method: 'notifications/unheard-of', params: { a: 1 } },
]

test.each<ToolSurface>(['direct', 'meta'])(
  'one transcript gives the same answers in process, over HTTP and over stdio (%s)',
  async (surface) => {
    const server = await serveLibrary({ surface })
    const broker = await openBroker({ surface })
    const open = () => broker.open({ environmentId: library.id, taskId: library.tasks[0]!.id })
    const served = await server.broker.open({ environmentId: library.id, taskId: library.tasks[0]!.id })
    const [direct, piped] = [await open(), await open()]
    const expected = await inProcess(direct, transcript)
    expect(expected).toHaveLength(transcript.length - 2)
    expect(await overHttp(server.mcpUrl(served.handle), transcript)).toEqual(expected)
    expect(
      await overStdio(
        piped,
        transcript.map((message) => JSON.stringify(message)),
      ),
    ).toEqual(expected)
    const states = await Promise.all([direct, served, piped].map((session) => session.capture((state) => state?.diff)))
    expect(states[1]).toEqual(states[0])
    expect(states[2]).toEqual(states[0])
    expect(states[0]).not.toEqual([])
  },
)

test('stdio gives the same answers however its bytes are cut', async () => {
  const broker = await openBroker()
  const lines = transcript.map((message) => JSON.stringify(message))
  const answers = async (chunkBytes: number) => {
    const session = await broker.open({ environmentId: library.id })
    return overStdio(session, lines, chunkBytes)
  }
  const whole = await answers(1_000_000)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (chunkBytes) => {
      expect(await answers(chunkBytes)).toEqual(whole)
    }),
    { numRuns: 10 },
  )
})

test('over stdio every bad line gets an answer of its own and the dialog goes on', async () => {
  const broker = await openBroker()
  const session = await broker.open({ environmentId: library.id })
  const lines = [
    '',
    'not json',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '[]',
    'x'.repeat(100_001),
    '{"jsonrpc":"2.0","id":9,"result":{}}',
    '{"jsonrpc":"2.0","id":2,"method":"ping"}\r',
  ]
  const answers = (await overStdio(session, lines, 997)) as { id: unknown; error?: { code: number; message: string } }[]
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_700],
    [null, -32_700],
    [null, -32_600],
    [null, -32_700],
    [2, undefined],
  ])
  expect(answers[3]?.error?.message).toContain('longer than 100000 bytes')
})
