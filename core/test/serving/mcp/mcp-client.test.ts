import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { WorldInstance } from '../../../src/hooks/world.ts'
import type { ToolDefinition } from '../../../src/vocabulary/tool.ts'
import { Gate, GatedWorld } from '../gated-world.ts'
import { library, mcpClient, serveLibrary } from '../served-library.ts'
import { post } from './transcript.ts'

const wanted = { environmentId: library.id }
const write = library.tasks[0]!.gold.calls.at(-1)!

/** A world that answers every call with what it got. */
function echoWorld(tools: readonly ToolDefinition[]) {
  const open = (): WorldInstance => ({
    tools,
    call: (name, args) => ({ result: { ok: true, content: { name, args } }, diff: [] }),
    capture: () => null,
    close: () => undefined,
  })
  return { name: 'echo', open, close: () => undefined }
}
const tool = (name: string, inputSchema: ToolDefinition['inputSchema'] = { type: 'object' }): ToolDefinition => {
  return { name, description: `Calls ${name}.`, inputSchema, readOnly: true }
}

describe('an ordinary MCP client', () => {
  test('reads an error of a tool as a result with structured content, and an unknown tool as a protocol error', async () => {
    const server = await serveLibrary()
    const client = await mcpClient(server.mcpUrl((await server.broker.open(wanted)).handle))
    const invalid = (await client.callTool({
      name: write.tool,
      arguments: { ...write.arguments, warehouse: 'moon' },
    })) as CallToolResult
    expect(invalid.isError).toBe(true)
    expect(invalid.structuredContent).toMatchObject({
      error: { kind: 'invalid_arguments', violations: [{ path: expect.stringContaining('warehouse') }] },
    })
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      data: { kind: 'unknown_tool' },
    })
  })

  test('gets a rejection by the rules of the world as a result with its code', async () => {
    const server = await serveLibrary()
    const client = await mcpClient(server.mcpUrl((await server.broker.open(wanted)).handle))
    const rejected = await client.callTool({
      name: write.tool,
      arguments: Object.fromEntries(Object.keys(write.arguments).map((key) => [key, 9_999])),
    })
    expect(rejected).toMatchObject({ isError: true, structuredContent: { error: { kind: 'business_rejection' } } })
  })

  test('uses two tools instead of all where the address says so', async () => {
    const server = await serveLibrary()
    const { handle } = await server.broker.open(wanted)
    const client = await mcpClient(`${server.mcpUrl(handle)}?surface=meta`)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_tools', 'call_tool'])
    const called = await client.callTool({
      name: 'call_tool',
      arguments: { tool_name: write.tool, arguments: write.arguments },
    })
    expect(called.isError).toBeUndefined()
    const unknown = await client.callTool({ name: 'call_tool', arguments: { tool_name: 'verify' } })
    expect(unknown).toMatchObject({ isError: true, structuredContent: { error: { kind: 'unknown_tool' } } })
    expect((await fetch(`${server.mcpUrl(handle)}?surface=all`, post('{}'))).status).toBe(400)
  })

  test('gets a name of a million characters back in part only', async () => {
    const server = await serveLibrary({ limits: { maxCalls: 1 } })
    const client = await mcpClient(server.mcpUrl((await server.broker.open(wanted)).handle))
    const name = 'x'.repeat(1_000_000)
    const unknown = await client.callTool({ name, arguments: {} }).catch((error: unknown) => error)
    expect(unknown).toMatchObject({ code: -32_602 })
    expect((unknown as Error).message.length).toBeLessThan(1_000)
    expect(JSON.stringify((unknown as { data: unknown }).data).length).toBeLessThan(10_000)
    expect(JSON.stringify(await client.callTool({ name, arguments: {} })).length).toBeLessThan(1_000)
  })

  test('sees names that every chat API takes, unique and stable, and reaches the tools behind them', async () => {
    const long = 'x'.repeat(73)
    const names = ['stock.count', 'stock_count', 'größe', `${long}a`, `${long}b`, 'plain']
    const listed = async (order: readonly string[]) => {
      const server = await serveLibrary({ world: echoWorld(order.map((name) => tool(name))) })
      const client = await mcpClient(server.mcpUrl((await server.broker.open(wanted)).handle))
      const shown = (await client.listTools()).tools.map(({ name }) => name)
      const reached = await Promise.all(
        shown.map(async (name) => {
          const [content] = ((await client.callTool({ name })) as CallToolResult).content
          return content?.type === 'text' ? (JSON.parse(content.text) as { name: string }).name : null
        }),
      )
      return { shown, reached }
    }
    const { shown, reached } = await listed(names)
    expect(reached).toEqual(names)
    expect(new Set(shown).size).toBe(names.length)
    for (const name of shown) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect((await listed(names.toReversed())).shown.toReversed()).toEqual(shown)
  })

  test('is shown an object schema with properties for every tool, whatever the world has, references whole', async () => {
    const plan = {
      type: 'object',
      properties: { q: { $ref: '#/$defs/Query' } },
      $defs: { Query: { type: 'object', properties: {} } },
    }
    const server = await serveLibrary({ world: echoWorld([tool('bare'), tool('none', {}), tool('plan', plan)]) })
    const client = await mcpClient(server.mcpUrl((await server.broker.open(wanted)).handle))
    const schemas = (await client.listTools()).tools.map(({ inputSchema }) => inputSchema)
    expect(schemas).toEqual([{ type: 'object', properties: {} }, { type: 'object', properties: {} }, plan])
    const [content] = ((await client.callTool({ name: 'plan', arguments: { q: {} } })) as CallToolResult).content
    expect(content).toMatchObject({ text: JSON.stringify({ name: 'plan', args: { q: {} } }) })
  })
})

describe('a client that goes away', () => {
  test('in the middle of a call leaves its write in the state once', async () => {
    const call = new Gate()
    const server = await serveLibrary({ world: new GatedWorld({ call }) })
    const session = await server.broker.open(wanted)
    const gone = new AbortController()
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: write.tool, arguments: write.arguments },
    })
    const asked = fetch(server.mcpUrl(session.handle), { ...post(body), signal: gone.signal })
    await expect.poll(() => call.waiting).toBe(1)
    const second = fetch(server.mcpUrl(session.handle), { ...post(body), signal: gone.signal })
    await expect.poll(() => session.isBusy).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    gone.abort()
    await Promise.allSettled([asked, second])
    await new Promise((resolve) => setTimeout(resolve, 50))
    call.open()
    const diff = await session.capture((state) => state?.diff)
    expect(session.calls.map(({ serverName, result }) => [serverName, result.ok])).toEqual([[write.tool, true]])
    expect(diff).toEqual(session.calls[0]?.diff)
  })

  test('can call one off by its id: one that waits is not made, and nothing is said of it', async () => {
    const call = new Gate()
    const server = await serveLibrary({ world: new GatedWorld({ call }) })
    const session = await server.broker.open(wanted)
    const url = server.mcpUrl(session.handle)
    const ask = (id: number) =>
      fetch(
        url,
        post(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: { name: write.tool, arguments: write.arguments },
          }),
        ),
      )
    const first = ask(1)
    await expect.poll(() => call.waiting).toBe(1)
    const second = ask(2)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await fetch(
      url,
      post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no"}}'),
    )
    const cancelled = await second
    expect([cancelled.status, await cancelled.text()]).toEqual([202, ''])
    call.open()
    expect(await (await first).json()).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } })
    expect(session.calls).toHaveLength(1)
  })
})
