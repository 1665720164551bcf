import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, expect, test } from 'vitest'
import { control, Workplace } from '../mcp/rlenv-server.ts'
import { memory } from './real-servers.ts'

const config = `
import { codeVerifier } from '@rlenv/verifier-code'
import { mcpWorld } from '@rlenv/world-mcp'
import { defineConfig } from 'rlenv'

export default defineConfig({ plugins: [mcpWorld({ environments: [${JSON.stringify(memory)}] }), codeVerifier()] })
`
const place = new Workplace({ 'package.json': '{ "type": "module" }', 'rlenv.config.js': config })
afterAll(() => place.remove())

interface Opened {
  readonly handle: string
  readonly mcp: string
}

test('a world that brings its own environments is served: solved by an MCP client, found passed, and reset', async () => {
  const serving = await place.serve()
  const { calls = [] } = memory.tasks[0]!
  const opened = (await control(serving, 'POST', '/sessions', {
    environmentId: 'memory',
    taskId: 'remember',
  })) as Opened
  const client = new Client({ name: 'by-hand', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(opened.mcp)) as Parameters<Client['connect']>[0])
  const verdict = async () => {
    return (await control(serving, 'POST', `/sessions/${opened.handle}/verify`)) as { verdict: object }
  }
  expect(await verdict()).toMatchObject({ verdict: { passed: false } })
  for (const { tool, arguments: args } of calls) {
    expect(await client.callTool({ name: tool, arguments: { ...args } })).not.toHaveProperty('isError')
  }
  expect(await verdict()).toMatchObject({ verdict: { passed: true } })
  await control(serving, 'POST', `/sessions/${opened.handle}/reset`)
  expect(await verdict()).toMatchObject({ verdict: { passed: false } })
  await client.close()
  expect(await serving.end()).toBe(0)
})
