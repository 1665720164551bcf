import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { tinyEnvironment } from 'rlenv/testing'
import { afterAll, expect, test } from 'vitest'
import { bin, tinyConfig, Workplace } from './rlenv-server.ts'

const place = new Workplace({ 'rlenv.config.ts': tinyConfig })
afterAll(() => place.remove())
const serve = [bin, 'serve', '--stdio', '--task', 'library-1/lend']
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

/** Runs it with these lines as its input. */
async function converse(input: string) {
  const child = spawn(process.execPath, serve, { cwd: place.directory, stdio: ['pipe', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code: code as number | null, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
}

test('an MCP client that starts rlenv as its child lists and calls tools', async () => {
  const client = new Client({ name: 'parent', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'serve', '--stdio', '--environment', 'library-1'],
    cwd: place.directory,
    stderr: 'ignore',
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(tinyEnvironment().tools.map(({ name }) => name))
  expect(await client.callTool({ name: tools[0]!.name, arguments: {} })).toMatchObject({ isError: true })
  await client.close()
})

test('stdout carries protocol messages and nothing else, whatever a configuration prints', async () => {
  const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
  const { code, lines, stderr } = await converse(`${ping}not json\n${list}`)
  expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string; id: unknown }).id)).toEqual([1, null, 2])
  expect(stderr).toContain('a banner of a configuration')
  expect(stderr).toContain('a last word of a configuration')
  expect(code).toBe(0)
})

test('it ends when its input ends, also before it has begun', async () => {
  expect(await converse('')).toMatchObject({ code: 0, lines: [] })
})

test('no server is left when its parent is killed', async () => {
  const program = `
    const { spawn } = require('node:child_process')
    const args = ${JSON.stringify(serve)}
    const children = Array.from({ length: 8 }, () => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] }))
    for (const child of children) child.stdin.write(${JSON.stringify(ping)})
    Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))))
      .then(() => console.log(children.map((child) => child.pid).join(' ')))
  `
  const parent = spawn(process.execPath, ['-e', program], {
    cwd: place.directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(parent.stdout.setEncoding('utf8'), 'data')
  const children = String(printed).trim().split(' ').map(Number)
  expect(children).toHaveLength(8)
  expect(children.every(isRunning)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => children.filter(isRunning), { timeout: 20_000 }).toEqual([])
})

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
