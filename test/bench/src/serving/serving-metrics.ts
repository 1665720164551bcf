import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tinyEnvironment } from 'rlenv/testing'
import { Pool } from 'undici'
import { WebSocket } from 'ws'
import type { Metric } from '../metric.ts'
import type { HostAddresses, HostRequest } from './serving-host.ts'

const callsPerSession = 10
const environment = tinyEnvironment()
const call = environment.tasks[0]?.gold.calls[0]

/** The process that serves, so that its CPU time is its own. */
class Host {
  readonly addresses: HostAddresses
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, addresses: HostAddresses) {
    this.#child = child
    this.addresses = addresses
  }

  static async start(): Promise<Host> {
    const child = fork(fileURLToPath(new URL('serving-host.js', import.meta.url)))
    const [addresses] = (await once(child, 'message')) as [HostAddresses]
    return new Host(child, addresses)
  }

  async open(sessions: number): Promise<readonly string[]> {
    return (await this.#ask({ ask: 'open', sessions })) as readonly string[]
  }

  /** Microseconds of CPU that it uses per call while `work` makes so many. */
  async cpuPerCall(calls: number, work: () => Promise<void>): Promise<number> {
    const before = Number(await this.#ask({ ask: 'cpu' }))
    await work()
    return (Number(await this.#ask({ ask: 'cpu' })) - before) / calls
  }

  async end(): Promise<void> {
    this.#child.send({ ask: 'end' } satisfies HostRequest)
    await once(this.#child, 'exit')
  }

  async #ask(request: HostRequest): Promise<unknown> {
    const answer = once(this.#child, 'message')
    this.#child.send(request)
    return (await answer)[0]
  }
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function body(id: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: call?.tool, arguments: call?.arguments },
  })
}

/** Every path gets the same calls at once, each over a connection of its own that stays open. */
async function postAll(pool: Pool, paths: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      for (let id = 0; id < callsPerSession; id++) {
        const { statusCode, body: answer } = await pool.request({ path, method: 'POST', headers, body: body(id) })
        const text = await answer.text()
        if (statusCode !== 200 || text.includes('"isError"'))
          throw new Error(`a call was answered ${statusCode} ${text}`)
      }
    }),
  )
}

/** The same calls as steps of OpenEnv sessions. */
async function stepAll(sockets: readonly WebSocket[]): Promise<void> {
  const step = JSON.stringify({
    type: 'step',
    data: { type: 'call_tool', tool_name: call?.tool, arguments: call?.arguments },
  })
  await Promise.all(
    sockets.map(async (socket) => {
      for (let id = 0; id < callsPerSession; id++) await exchange(socket, step)
    }),
  )
}

async function exchange(socket: WebSocket, frame: string): Promise<void> {
  const answer = once(socket, 'message')
  socket.send(frame)
  const text = String((await answer)[0])
  if (text.startsWith('{"type":"error"')) throw new Error(`a frame was answered ${text}`)
}

async function openSockets(url: string, count: number): Promise<readonly WebSocket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/openenv/ws`)
      await once(socket, 'open')
      await exchange(socket, JSON.stringify({ type: 'reset', data: { environment_id: environment.id } }))
      return socket
    }),
  )
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

interface Cost {
  readonly echo: number
  readonly post: number
  readonly socket: number
}

/** Server CPU per call, in microseconds, of the three ways, taken in turns. */
async function costs(sessions: number, rounds: number): Promise<Cost> {
  const host = await Host.start()
  const { served, echo } = host.addresses
  const connections = { connections: sessions, pipelining: 1 }
  const [servedPool, echoPool] = [new Pool(served, connections), new Pool(echo, connections)]
  const sockets = await openSockets(served, sessions)
  const calls = sessions * callsPerSession
  const echoPaths = Array.from({ length: sessions }, (_, index) => `/echo/${index}`)
  const handles = await host.open(sessions)
  const servedPaths = handles.map((handle) => `/mcp/${handle}`)
  const samples: { readonly [Way in keyof Cost]: number[] } = { echo: [], post: [], socket: [] }
  for (let round = 0; round <= rounds; round++) {
    const echoed = await host.cpuPerCall(calls, () => postAll(echoPool, echoPaths))
    const posted = await host.cpuPerCall(calls, () => postAll(servedPool, servedPaths))
    const stepped = await host.cpuPerCall(calls, () => stepAll(sockets))
    // The first round opens connections and compiles.
    if (round === 0) continue
    samples.echo.push(echoed)
    samples.post.push(posted)
    samples.socket.push(stepped)
  }
  for (const socket of sockets) socket.terminate()
  await Promise.all([servedPool.destroy(), echoPool.destroy()])
  await host.end()
  return { echo: median(samples.echo), post: median(samples.post), socket: median(samples.socket) }
}

/** What a served call costs the server: MCP over POST against an echo of JSON over POST, and WebSocket against POST. */
export async function servingMetrics({ smoke = false }: { readonly smoke?: boolean } = {}): Promise<readonly Metric[]> {
  const metrics: Metric[] = []
  for (const sessions of smoke ? [16] : [256, 1_024]) {
    const { echo, post, socket } = await costs(sessions, smoke ? 1 : 5)
    metrics.push(
      metric(`server CPU of a call over MCP POST, ${sessions} sessions, / JSON echo`, post, echo, 3.5),
      metric(`server CPU of a call over WebSocket, ${sessions} sessions, / over POST`, socket, post, 0.7),
    )
  }
  return metrics
}

function metric(what: string, value: number, floor: number, target: number): Metric {
  const ratio = value / floor
  return { id: 'E20', what: `${what} (<= ${target})`, value, unit: 'us', floor, ratio, target, ok: ratio <= target }
}
