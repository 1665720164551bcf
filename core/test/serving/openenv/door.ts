import { once } from 'node:events'
import { WebSocket } from 'ws'
import { HttpServer, type HttpServerOptions } from '../../../src/serving/http-server.ts'
import { type OpenEnvOptions, openEnvRoutes } from '../../../src/serving/openenv/openenv-routes.ts'
import { SessionBroker, type SessionBrokerOptions } from '../../../src/serving/session-broker.ts'
import { pipelineOf, tinyEnvironment, tinyPlugin } from '../../../src/testing/index.ts'
import type { Environment } from '../../../src/vocabulary/environment.ts'
import type { Json, JsonObject } from '../../../src/vocabulary/json.ts'

export interface TestDoorOptions {
  readonly broker?: Partial<SessionBrokerOptions>
  readonly openenv?: OpenEnvOptions
  readonly http?: Partial<HttpServerOptions>
}

/** A running server with nothing but OpenEnv's door, over two tiny libraries. */
export interface TestDoor {
  readonly broker: SessionBroker
  /** `ws://…` of the generic dialect; `/awm` behind it is the other one. */
  readonly ws: string
  readonly http: string
  readonly environments: readonly [Environment, Environment]
  close(): Promise<void>
}

export async function openDoor(options: TestDoorOptions = {}): Promise<TestDoor> {
  const environments = [tinyEnvironment({ id: 'library-1' }), tinyEnvironment({ id: 'library-2', seed: 7 })] as const
  const pipeline = await pipelineOf(tinyPlugin())
  const broker = new SessionBroker({ environments, pipeline, ...options.broker })
  const door = openEnvRoutes(broker, { access: 'client', ...options.openenv })
  const server = new HttpServer({ ...options.http, routes: door.routes, upgrades: door.upgrades })
  const { url } = await server.listen()
  return {
    broker,
    ws: `${url.replace('http', 'ws')}/openenv`,
    http: `${url}/openenv`,
    environments,
    close: async () => {
      const closing = server.close()
      await door.close()
      await broker.shutdown()
      await closing
    },
  }
}

/** A client that sends a frame and waits for the one that answers it. */
export class TestClient {
  readonly socket: WebSocket
  readonly #frames: string[] = []
  #waiting: ((frame: string) => void) | null = null

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (this.#waiting === null) this.#frames.push(text)
      else this.#waiting(text)
      this.#waiting = null
    })
  }

  static async connect(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestClient> {
    const client = new TestClient(new WebSocket(url, { headers }))
    await once(client.socket, 'open')
    return client
  }

  send(frame: Json): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The next frame that has not been read. */
  async next(): Promise<JsonObject> {
    const ready = this.#frames.shift()
    const text = ready ?? (await new Promise<string>((resolve) => (this.#waiting = resolve)))
    return JSON.parse(text) as JsonObject
  }

  ask(frame: Json): Promise<JsonObject> {
    this.send(frame)
    return this.next()
  }

  /** `data` of the answer to a reset or a step. */
  async reply(frame: Json): Promise<{ observation: JsonObject; reward: number | null; done: boolean }> {
    const { type, data } = await this.ask(frame)
    if (type !== 'observation') throw new Error(`answered by ${JSON.stringify({ type, data })}`)
    return data as unknown as { observation: JsonObject; reward: number | null; done: boolean }
  }

  step(data: Json) {
    return this.reply({ type: 'step', data })
  }

  call(tool: string, args: JsonObject = {}) {
    return this.step({ type: 'call_tool', tool_name: tool, arguments: args })
  }

  async close(): Promise<number> {
    const closed = once(this.socket, 'close')
    this.socket.close()
    return (await closed)[0] as number
  }
}

/** Waits until something holds, for at most a few seconds. */
export async function eventually(holds: () => boolean): Promise<void> {
  const until = performance.now() + 5_000
  while (!holds()) {
    if (performance.now() > until) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
