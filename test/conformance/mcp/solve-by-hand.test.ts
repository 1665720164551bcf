import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { readBundle } from 'rlenv'
import { afterAll, expect, test } from 'vitest'
import { bin, control, controlToken, Workplace } from './rlenv-server.ts'

const config = `
import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

export default defineConfig({ extends: arena({ environments: 3 }), seed: 7 })
`
const place = new Workplace({ 'rlenv.config.ts': config })
afterAll(() => place.remove())

interface Opened {
  readonly handle: string
  readonly mcp: string
  readonly instruction: string
}

test('tasks of a blueprint are solved by hand over an ordinary MCP client and found passed, and Ctrl-C ends it well', async () => {
  const synthesised = await place.run([bin, 'synth', '--json'])
  const { environments } = JSON.parse(synthesised.stdout) as { environments: { id: string }[] }
  const serving = await place.serve()
  for (const { id } of environments) {
    const environment = await readBundle(place.path('environments', id))
    const task = environment.tasks.find(({ gold }) => gold.calls.length > 0)!
    const opened = (await control(serving, 'POST', '/sessions', { environmentId: id, taskId: task.id })) as Opened
    const client = new Client({ name: 'by-hand', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(opened.mcp)) as Parameters<Client['connect']>[0])
    expect(client.getInstructions()).toBe(task.instruction)
    const verify = async (answer: string | null) =>
      ((await control(serving, 'POST', `/sessions/${opened.handle}/verify`, { answer })) as { verdict: object }).verdict
    expect(await verify(null)).toMatchObject({ passed: false })
    for (const { tool, arguments: args } of task.gold.calls) {
      expect(await client.callTool({ name: tool, arguments: { ...args } })).not.toHaveProperty('isError')
    }
    const { answer } = task.gold
    const said = answer === null ? 'Done.' : typeof answer === 'string' ? answer : JSON.stringify(answer)
    expect(await verify(said), task.id).toMatchObject({ kind: 'passed', passed: true })
    await client.close()
  }
  expect(await serving.end()).toBe(0)
})

test('the control token is asked for, and nothing an agent holds opens the control plane', async () => {
  const serving = await place.serve()
  const { environments } = (await control(serving, 'GET', '/environments')) as { environments: { id: string }[] }
  const { handle } = (await control(serving, 'POST', '/sessions', { environmentId: environments[0]!.id })) as Opened
  for (const token of ['', handle, `${controlToken}x`]) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${serving.control}/sessions/${handle}/verify`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    expect(response.status).toBe(401)
  }
  expect(await serving.end()).toBe(0)
})

test('an address beyond this machine is refused without a token, as a usage error', async () => {
  const { code, stdout } = await place.run([bin, 'serve', '--json', '--host', '0.0.0.0'])
  expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'RLENV_ADDRESS_UNUSABLE'])
})
