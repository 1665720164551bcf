import { rlenvVersion } from '../artifacts/rlenv-version.ts'
import { controlRoutes } from './control/control-routes.ts'
import { sendJson, sendText } from './http-problem.ts'
import type { Route } from './http-route.ts'
import { HttpServer, type HttpServerOptions, type ServerAddress } from './http-server.ts'
import { mcpRoutes } from './mcp/mcp-routes.ts'
import { type OpenEnvDoor, type OpenEnvOptions, type OpenEnvPaths, openEnvRoutes } from './openenv/openenv-routes.ts'
import { ServingMetrics } from './serving-metrics.ts'
import { SessionBroker, type SessionBrokerOptions } from './session-broker.ts'

export interface EnvironmentServerOptions
  extends Omit<SessionBrokerOptions, 'onCall'>,
    Omit<HttpServerOptions, 'routes' | 'upgrades' | 'maxMessageBytes'> {
  /** Most bytes of one request or WebSocket message. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** OpenEnv's door; false keeps it shut. */
  readonly openEnv?: OpenEnvOptions | false
}

interface ServerParts {
  readonly broker: SessionBroker
  readonly http: HttpServer
  readonly openEnv: OpenEnvDoor | null
  readonly metrics: ServingMetrics
}

/** Environments behind all doors on one port: MCP, OpenEnv, the control plane, health and metrics. */
export class EnvironmentServer {
  readonly broker: SessionBroker
  readonly address: ServerAddress
  readonly #http: HttpServer
  readonly #openEnv: OpenEnvDoor | null
  readonly #metrics: ServingMetrics

  private constructor(address: ServerAddress, { broker, http, openEnv, metrics }: ServerParts) {
    this.address = address
    this.broker = broker
    this.#http = http
    this.#openEnv = openEnv
    this.#metrics = metrics
  }

  /** @throws {RlenvError} RLENV_ADDRESS_UNUSABLE; what keeps a {@link SessionBroker} from being made. */
  static async start(options: EnvironmentServerOptions): Promise<EnvironmentServer> {
    const { maxBodyBytes = 4 * 1024 ** 2 } = options
    const metrics = new ServingMetrics()
    let broker: SessionBroker | null = null
    try {
      broker = new SessionBroker({
        ...options,
        onCall: (session, call, durationMs) => metrics.called(session, call, durationMs),
      })
      metrics.watch(broker)
      const openEnv = options.openEnv === false ? null : openEnvRoutes(broker, { maxBodyBytes, ...options.openEnv })
      const routes = [
        ...mcpRoutes(broker, { maxBodyBytes }),
        ...controlRoutes(broker, { maxBodyBytes }),
        ...watchRoutes(broker, metrics),
        ...(openEnv?.routes ?? []),
      ]
      const upgrades = openEnv?.upgrades ?? []
      await broker.ready()
      const http = new HttpServer({ ...options, routes, upgrades, maxMessageBytes: maxBodyBytes })
      return new EnvironmentServer(await http.listen(), { broker, http, openEnv, metrics })
    } catch (cause) {
      metrics.close()
      await broker?.shutdown()
      throw cause
    }
  }

  /** Address of a session for MCP clients. */
  mcpUrl(handle: string): string {
    return `${this.address.url}/mcp/${handle}`
  }

  /** Addresses for OpenEnv's clients, one per dialect; null when that door is shut. */
  get openEnvUrls(): OpenEnvPaths | null {
    if (this.#openEnv === null) return null
    const { generic, awm } = this.#openEnv.paths
    return { generic: `${this.address.url}${generic}`, awm: `${this.address.url}${awm}` }
  }

  /** Ends what is under way, then every session. */
  async close(): Promise<void> {
    const closing = this.#http.close()
    await this.#openEnv?.close()
    await this.broker.shutdown()
    await closing
    this.#metrics.close()
  }
}

function watchRoutes(broker: SessionBroker, metrics: ServingMetrics): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      access: 'public',
      handle: (_request, response) => {
        const { workers } = broker
        const canOpen = workers === null || workers.ready > 0
        sendJson(response, canOpen ? 200 : 503, {
          status: canOpen ? 'healthy' : 'unavailable',
          version: rlenvVersion,
          ...(workers === null ? {} : { workers: { ...workers } }),
        })
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async (_request, response) => {
        sendText(response, 200, await metrics.text(), { 'content-type': metrics.contentType })
      },
    },
  ]
}
