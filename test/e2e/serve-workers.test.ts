import { once } from 'node:events'
import { type EnvironmentServer, type EnvironmentServerOptions, loadPipeline, serveEnvironments } from 'rlenv'
import { testSlotContext, tinyEnvironment } from 'rlenv/testing'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { hostileConfig } from './hostile-world.ts'
import { Project } from './project.ts'

const project = new Project({ 'rlenv.config.mjs': hostileConfig })
const file = project.path('rlenv.config.mjs')
const controlToken = 'control-of-the-test'
const library = tinyEnvironment()
const [task] = library.tasks
const gold = task?.gold.calls ?? []
const write = gold.at(-1)
const open: EnvironmentServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})
afterAll(() => project.remove())

async function serve(options: Partial<EnvironmentServerOptions>): Promise<EnvironmentServer> {
  const { pipeline } = await loadPipeline({ file, command: 'serve' })
  const world = await pipeline.slot('world', testSlotContext())
  const shared = { environments: [library], pipeline, world, controlToken, graceMs: 200 }
  const server = await serveEnvironments({ ...shared, openEnv: { access: 'client' }, ...options })
  open.push(server)
  return server
}

/** The text of the answer to one JSON-RPC message. */
async function say(url: string, message: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })).text()
}

interface Called {
  readonly result: {
    readonly isError?: boolean
    readonly content: readonly [{ readonly text: string }]
    readonly structuredContent?: { readonly error: { readonly kind: string } }
  }
}

async function call(url: string, name: string, args: object = {}): Promise<Called['result']> {
  const text = await say(url, { id: 1, method: 'tools/call', params: { name, arguments: args } })
  return (JSON.parse(text) as Called).result
}

async function control(server: EnvironmentServer, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${controlToken}` }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return (await fetch(`${server.address.url}/control${path}`, init)).json()
}

async function opened(server: EnvironmentServer): Promise<string> {
  const document = await control(server, 'POST', '/sessions', { environmentId: library.id, taskId: task?.id })
  return (document as { handle: string }).handle
}

/** Resolves when a call is under way in a session. */
async function busy(server: EnvironmentServer, handle: string): Promise<void> {
  while (!((await control(server, 'GET', `/sessions/${handle}`)) as { busy: boolean }).busy) {}
}

const restarts = async ({ address }: EnvironmentServer) => {
  const health = (await (await fetch(`${address.url}/health`)).json()) as { workers: { restarts: number } }
  return health.workers.restarts
}

const clientInfo = { name: 'transcript', version: '1.0.0' }
const asked = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } })
const transcript = [
  { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { method: 'tools/list' },
  ...gold.map(({ tool, arguments: args }) => asked(tool, args)),
  asked(write?.tool ?? '', write?.arguments ?? {}),
  asked('no_such_tool', {}),
  asked(gold[0]?.tool ?? '', { warehouse: 'moon' }),
  asked('verify', {}),
  asked('list_tools', {}),
].map((message, index) => ({ id: index, ...message }))

/** Everything that is said in one session, and what the control plane and OpenEnv say beside it. */
async function everything(server: EnvironmentServer): Promise<readonly unknown[]> {
  const handle = await opened(server)
  const answers: unknown[] = []
  for (const message of transcript) answers.push(await say(server.mcpUrl(handle), message))
  const tables = { tables: ['books', 'loans'].filter((name) => library.database.schema.includes(name)) }
  answers.push(await control(server, 'POST', `/sessions/${handle}/capture`, tables))
  answers.push(await queried(server, handle))
  for (const answer of [null, 'Done.'])
    answers.push(await control(server, 'POST', `/sessions/${handle}/verify`, { answer }))
  answers.push(await control(server, 'POST', `/sessions/${handle}/capture`, { tables: ['no_such_table'] }))
  await control(server, 'POST', `/sessions/${handle}/reset`)
  answers.push(await control(server, 'POST', `/sessions/${handle}/capture`))
  answers.push(await control(server, 'POST', `/sessions/${handle}/verify`, { answer: 'Done.' }))
  return [...answers, ...(await episode(server))]
}

/** What a program reads of both states with queries of its own, and what it is refused. */
async function queried({ broker }: EnvironmentServer, handle: string): Promise<unknown> {
  return broker.require(handle).capture(async (state) => {
    const refused = await state?.final.query('DELETE FROM loans').catch(({ code, message }) => ({ code, message }))
    const loans = 'SELECT count(*) AS loans FROM loans WHERE id > @above'
    return [await state?.initial.query(loans, { above: 6 }), await state?.final.query(loans, { above: 6 }), refused]
  })
}

async function episode({ address }: EnvironmentServer): Promise<readonly unknown[]> {
  const socket = new WebSocket(`${address.url.replace('http', 'ws')}/openenv/ws`)
  await once(socket, 'open')
  const steps = gold.map(({ tool, arguments: args }) => ({
    type: 'step',
    data: { type: 'call_tool', tool_name: tool, arguments: args },
  }))
  const answers: unknown[] = []
  for (const frame of [{ type: 'reset', data: { seed: 0, episode_id: 'one' } }, ...steps, { type: 'state' }]) {
    socket.send(JSON.stringify(frame))
    answers.push(String((await once(socket, 'message'))[0]))
  }
  socket.terminate()
  return answers
}

test('every door gives the same answers, byte for byte, whether worlds are held in the server or in workers', async () => {
  const inProcess = await everything(await serve({}))
  const inWorkers = await everything(await serve({ workers: 2 }))
  expect(inWorkers).toEqual(inProcess)
  expect(String(inProcess[2])).toContain('"result"')
  const refused = expect.objectContaining({ code: 'RLENV_DATABASE_INVALID' })
  expect(inProcess).toContainEqual([[{ loans: 0 }], [{ loans: 2 }], refused])
})

const limits = { toolTimeoutMs: 1_000 }

describe('a call that never comes back', () => {
  test.each(['sql', 'loop'])('(%s) costs its worker, and other sessions go on', async (attack) => {
    const server = await serve({ workers: 2, limits })
    const [bad, other] = [await opened(server), await opened(server)]
    const hanging = call(server.mcpUrl(bad), attack)
    for (const { tool, arguments: args } of gold) {
      expect((await call(server.mcpUrl(other), tool, args)).isError).toBeUndefined()
    }
    const fault = await hanging
    expect(fault.structuredContent?.error.kind).toBe('environment_fault')
    expect(fault.content[0].text).toContain(`the tool ${attack} did not come back within 1000 ms`)
    expect(await restarts(server)).toBe(1)
    expect(await control(server, 'POST', `/sessions/${other}/verify`, { answer: 'Done.' })).toMatchObject({
      verdict: { kind: 'passed', passed: true },
    })
  })

  test('leaves the other sessions of its worker without a world, says so, and a reset gives them a new one', async () => {
    const server = await serve({ workers: 1, limits })
    const [bad, other] = [await opened(server), await opened(server)]
    const hanging = call(server.mcpUrl(bad), 'sql')
    await busy(server, bad)
    const fault = await call(server.mcpUrl(other), write?.tool ?? '', write?.arguments)
    await hanging
    expect(fault.structuredContent?.error.kind).toBe('environment_fault')
    expect(fault.content[0].text).toContain('a call of another session did not come back within 1000 ms')
    expect(fault.content[0].text).not.toContain('sql')
    for (const handle of [bad, other]) {
      expect(await control(server, 'POST', `/sessions/${handle}/verify`, {})).toMatchObject({
        verdict: { kind: 'unscored', reason: expect.stringContaining('the world is lost') },
      })
      expect(await control(server, 'POST', `/sessions/${handle}/reset`)).toMatchObject({ reset: true })
      for (const { tool, arguments: args } of gold) await call(server.mcpUrl(handle), tool, args)
      expect(await control(server, 'POST', `/sessions/${handle}/verify`, { answer: 'Done.' })).toMatchObject({
        verdict: { passed: true },
      })
    }
    const metrics = await (await fetch(`${server.address.url}/metrics`)).text()
    expect(metrics).toMatch(/^rlenv_workers_restarts_total 1$/m)
    expect(metrics).toMatch(/^rlenv_workers_ready 1$/m)
  })
})

test('a query of a program that never comes back costs its worker, and the program is told', async () => {
  const server = await serve({ workers: 1, limits: { ...limits, verifierTimeoutMs: 1_000 } })
  const session = await server.broker.open({ environmentId: library.id })
  await expect(session.capture((state) => state?.final.query('endless'))).rejects.toMatchObject({
    code: 'RLENV_WORLD_UNAVAILABLE',
    message: expect.stringContaining('reading its state did not come back within 1000 ms'),
  })
  await session.reset()
  expect(await session.capture((state) => state?.final.query('SELECT 1 AS one'))).toEqual([{ one: 1 }])
  expect(await restarts(server)).toBe(1)
})

test('a session that is deleted under a call that hangs gives its place back, and the call is told', async () => {
  const server = await serve({ workers: 1, limits, capacity: 1, queueLimit: 1 })
  const handle = await opened(server)
  const hanging = call(server.mcpUrl(handle), 'loop')
  await busy(server, handle)
  const next = opened(server)
  expect(await control(server, 'DELETE', `/sessions/${handle}`)).toEqual({ closed: true })
  const told = await hanging
  expect(told.structuredContent?.error.kind).toBe('timeout')
  expect(told.content[0].text).toContain('loop was under way when its session was closed')
  const written = await call(server.mcpUrl(await next), write?.tool ?? '', write?.arguments)
  expect(written.isError).toBeUndefined()
})

test('a worker that ends, or takes too much memory, is replaced and its sessions are told why', async () => {
  const server = await serve({ workers: 1, limits: { toolTimeoutMs: 20_000 }, workerMemoryMib: 400 })
  for (const [attack, why] of [
    ['exit', 'its world ended in the tool exit: it exited with 7'],
    ['memory', 'its world ended in the tool memory: '],
  ] as const) {
    const fault = await call(server.mcpUrl(await opened(server)), attack)
    expect(fault.structuredContent?.error.kind).toBe('environment_fault')
    expect(fault.content[0].text).toContain(why)
  }
  expect(await restarts(server)).toBe(2)
  expect((await call(server.mcpUrl(await opened(server)), write?.tool ?? '', write?.arguments)).isError).toBeUndefined()
})

test('workers need a configuration that they can load, and say so', async () => {
  const without = serveEnvironments({ environments: [library], controlToken, workers: 1 })
  await expect(without).rejects.toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
})

test.each([
  [
    'does not load there',
    "if (process.argv[1].includes('worker-main')) throw new Error('not in a worker')",
    'not in a worker',
  ],
  ['is another one there', 'options.pid = process.pid', 'another configuration'],
])('a configuration that %s keeps the server from starting', async (_what, line, why) => {
  const text = hostileConfig.replace('const hostile =', `const options = {}\n${line}\nconst hostile =`)
  project.write(
    'broken.config.mjs',
    text.replace('z.strictObject({})', 'z.looseObject({})').replace('hostile(),', 'hostile(options),'),
  )
  const { pipeline } = await loadPipeline({ file: project.path('broken.config.mjs'), command: 'serve' })
  const starting = serveEnvironments({ environments: [library], pipeline, controlToken, workers: 1 })
  await expect(starting).rejects.toThrow(why)
})
