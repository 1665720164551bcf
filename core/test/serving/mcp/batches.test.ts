import { describe, expect, test } from 'vitest'
import { library, openBroker, serveLibrary } from '../served-library.ts'
import { inProcess, type Message, overStdio, post } from './transcript.ts'

const wanted = { environmentId: library.id, taskId: library.tasks[0]!.id }
const clientInfo = { name: 'batches', version: '1.0.0' }
const initialize = (protocolVersion: string): Message => {
  return {
    jsonrpc: '2.0',
    id: 'start',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo },
  }
}
const notice: Message = { jsonrpc: '2.0', method: 'notifications/initialized' }
const gold = library.tasks[0]!.gold.calls
const members: readonly Message[] = [
  ...gold.map(({ tool, arguments: args }, id) => {
    return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } }
  }),
  notice,
  { jsonrpc: '2.0', id: 'unknown', method: 'prompts/list' },
]

interface Said {
  readonly status: number
  readonly body: unknown
}

/** Says texts one after the other over HTTP, as a client that names its version, or one that does not. */
async function overHttp(lines: readonly string[], headers: Readonly<Record<string, string>>): Promise<readonly Said[]> {
  const server = await serveLibrary()
  const { handle } = await server.broker.open(wanted)
  const said: Said[] = []
  for (const line of lines) {
    const response = await fetch(server.mcpUrl(handle), post(line, headers))
    const text = await response.text()
    said.push({ status: response.status, body: text === '' ? null : JSON.parse(text) })
  }
  return said
}

async function session() {
  return (await openBroker()).open(wanted)
}

/** What is said once a version is agreed on: over HTTP with and without its header, and over stdio. */
async function everywhere(version: string, line: string) {
  const lines = [JSON.stringify(initialize(version)), line]
  const headers = { 'mcp-protocol-version': version }
  const [named, unnamed] = [await overHttp(lines, headers), await overHttp(lines, {})]
  const piped = await overStdio(await session(), lines)
  return { named: named[1], unnamed: unnamed[1], piped: piped[1] ?? null }
}

describe('a batch', () => {
  test.each(['2024-11-05', '2025-03-26'])(
    'of %s is answered as its messages are in process, by every door',
    async (version) => {
      const [, ...expected] = await inProcess(await session(), [initialize(version), ...members])
      expect(expected).toHaveLength(members.length - 1)
      const said = await everywhere(version, JSON.stringify(members))
      expect(said.named).toEqual({ status: 200, body: expected })
      expect(said.unnamed).toEqual(said.named)
      expect(said.piped).toEqual(expected)
    },
  )

  test.each(['2025-06-18', '2025-11-25'])(
    'of %s, which has none, is refused by every door and not carried out',
    async (version) => {
      const refusal = {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32_600,
          message: `Invalid Request: MCP ${version} has no batches; send one message at a time`,
        },
      }
      const said = await everywhere(version, JSON.stringify(members))
      expect(said.named).toEqual({ status: 400, body: refusal })
      expect(said.unnamed).toEqual(said.named)
      expect(said.piped).toEqual(refusal)
    },
  )

  test('before a version is agreed on is one of 2025-03-26, as the specification assumes', async () => {
    const [said] = await overHttp([JSON.stringify(members)], {})
    const expected = await inProcess(await session(), members)
    expect(said).toEqual({ status: 200, body: expected })
    const piped = await overStdio(await session(), [JSON.stringify(members)])
    expect(piped).toEqual([expected])
  })

  test.each([
    ['that is empty', [], -32_600],
    ['that is too long', Array.from({ length: 101 }, () => notice), -32_600],
    ['with a second initialize', [initialize('2025-03-26'), notice], -32_600],
    ['with a bad message', [notice, { jsonrpc: '2.0' }], -32_700],
    ['of notifications', [notice, notice], null],
    ['of one', [members[0]], undefined],
  ])('%s gets the same answer by every door', async (_what, batch, code) => {
    const { named, unnamed, piped } = await everywhere('2025-03-26', JSON.stringify(batch))
    expect(unnamed).toEqual(named)
    expect(piped).toEqual(named?.body)
    const error = (named?.body as { error?: { code: number } } | null)?.error
    expect(named?.body === null ? null : error?.code).toBe(code)
  })
})
