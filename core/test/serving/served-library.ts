import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { pipelineOf, tinyEnvironment, tinyPlugin } from 'rlenv/testing'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/determinism/clock.ts'
import { EnvironmentServer, type EnvironmentServerOptions } from '../../src/serving/environment-server.ts'
import { SessionBroker, type SessionBrokerOptions } from '../../src/serving/session-broker.ts'

export const library = tinyEnvironment()
export const controlToken = 'control-of-the-test'

/** A clock that stands until it is told to move. Timers of real time stay real. */
export class ManualClock implements Clock {
  #now = 1_000_000

  now(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })
  }
}

export async function openBroker(options: Partial<SessionBrokerOptions> = {}): Promise<SessionBroker> {
  const pipeline = await pipelineOf(tinyPlugin())
  const broker = new SessionBroker({ environments: [library], pipeline, ...options })
  onTestFinished(() => broker.shutdown())
  return broker
}

/** A served library on a free port of this machine. */
export async function serveLibrary(options: Partial<EnvironmentServerOptions> = {}): Promise<EnvironmentServer> {
  const pipeline = await pipelineOf(tinyPlugin())
  const server = await EnvironmentServer.start({
    environments: [library],
    pipeline,
    controlToken,
    graceMs: 200,
    ...options,
  })
  onTestFinished(() => server.close())
  return server
}

/** An ordinary MCP client of one address. */
export async function mcpClient(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

/** What the control plane says of a session. */
export interface OpenedSession {
  readonly handle: string
  readonly mcp: string
  readonly instruction: string | null
  readonly expiresAt: number
}

/** Asks the control plane and reads its JSON. */
export async function control<Body = Readonly<Record<string, unknown>>>(
  server: EnvironmentServer,
  method: string,
  path: string,
  body?: unknown,
  token: string | null = controlToken,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(`${server.address.url}/control${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}
