import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Project } from './project.ts'

const config = `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'
console.log('loaded')
export default defineConfig({ extends: arena({ environments: 1, tasksPerEnvironment: 5 }), seed: 5 })
`
const controlToken = 'control-of-the-test'
const project = new Project({ 'rlenv.config.ts': config })
beforeAll(() => project.json(['synth', '--out', 'environments']))
afterAll(() => project.remove())

interface Served {
  /** What is printed on stdout until the server has ended. */
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

/** `rlenv serve`, whose end is asked for when `work` is done. */
async function serving(
  flags: readonly string[],
  work: (stdout: string, pid: number) => Promise<void>,
): Promise<Served> {
  const [node = '', bin = ''] = project.commandLine.split(' ')
  const env = { ...process.env, CI: '1', NO_COLOR: '1', RLENV_CONTROL_TOKEN: controlToken }
  const args = [bin, 'serve', '--bundle', 'environments', ...flags]
  const child = spawn(node, args, { cwd: project.directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  const closed = once(child, 'close')
  try {
    while (!said.stdout.includes('/control')) {
      const [kind] = await Promise.race([once(child.stdout, 'data').then(() => ['data']), closed.then(() => ['end'])])
      if (kind === 'end') throw new Error(`rlenv serve ended\n${said.stdout}\n${said.stderr}`)
    }
    await work(said.stdout, child.pid as number)
  } finally {
    child.kill('SIGINT')
  }
  const [code] = (await closed) as [number | null]
  return { ...said, code }
}

interface Addresses {
  readonly url: string
  readonly control: string
  readonly openenv: { readonly generic: string; readonly awm: string } | null
}

/** What a client of OpenEnv that is given this address is answered to its first reset. */
async function resetAt(address: string, frame: object): Promise<unknown> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${controlToken}` },
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'reset', data: frame }))
  const [data] = await once(socket, 'message')
  socket.terminate()
  return JSON.parse(String(data))
}

describe('the addresses that rlenv serve prints', () => {
  test('are one document with --json, and OpenEnv answers at those of its dialects', async () => {
    const { stdout, code } = await serving(['--json'], async (text) => {
      const { openenv } = JSON.parse(text) as Addresses
      expect(await resetAt(openenv?.generic ?? '', { seed: 1 })).toMatchObject({ type: 'observation' })
      const { environments } = JSON.parse(text) as { environments: readonly [{ id: string }] }
      const scenario = { scenario: environments[0].id, task_idx: 0 }
      expect(await resetAt(openenv?.awm ?? '', scenario)).toMatchObject({ type: 'observation' })
    })
    const document = JSON.parse(stdout) as Addresses
    const { url } = document
    expect(document).toMatchObject({
      control: `${url}/control`,
      openenv: { generic: `${url}/openenv`, awm: `${url}/openenv/awm` },
    })
    expect(code).toBe(0)
  })

  test('stand in the listing', async () => {
    const { stdout } = await serving([], async () => undefined)
    const url = /at (\S+);/.exec(stdout)?.[1]
    expect(stdout).toContain(`openenv  ${url}/openenv\nawm      ${url}/openenv/awm\n`)
  })

  test('name no OpenEnv where it is not offered', async () => {
    const { stdout } = await serving(['--openenv', 'off', '--json'], async () => undefined)
    expect(JSON.parse(stdout)).toMatchObject({ openenv: null })
    const listed = await serving(['--openenv', 'off'], async () => undefined)
    expect(listed.stdout).not.toContain('openenv')
  })
})

/** Processes that a process has started. */
function childrenOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
}

test.skipIf(process.platform !== 'linux')(
  'with --workers sessions live in processes, stdout stays one document, and no process is left behind',
  async () => {
    let pids: readonly string[] = []
    const { stdout, stderr } = await serving(['--json', '--workers', '2', '--openenv', 'client'], async (text, pid) => {
      const { url, openenv } = JSON.parse(text) as Addresses
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ workers: { size: 2, ready: 2, restarts: 0 } })
      expect(await resetAt(openenv?.generic ?? '', { seed: 1 })).toMatchObject({ type: 'observation' })
      pids = childrenOf(pid)
      expect(pids).toHaveLength(2)
    })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'serving' })
    expect(stderr.match(/loaded/g)?.length).toBeGreaterThanOrEqual(2)
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  },
)

test('over stdio a session can live in a worker as well, with the same answers', async () => {
  const ask = (id: number, method: string) => `'${JSON.stringify({ jsonrpc: '2.0', id, method })}'`
  const lines = [ask(1, 'ping'), ask(2, 'tools/list')].join(' ')
  const answers = async (flags: string) => {
    const command = `printf '%s\\n' ${lines} | $RLENV serve --bundle environments --stdio ${flags}`
    const { code, stdout, stderr } = await project.run('sh', ['-c', command])
    expect(stderr).not.toContain('Error')
    expect(code).toBe(0)
    return stdout
  }
  const inWorker = await answers('--workers 1')
  expect(inWorker).toContain('"tools":[')
  expect(inWorker).toBe(await answers('--workers 0'))
})
