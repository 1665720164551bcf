import { type Clock, systemClock } from '../../determinism/clock.ts'
import type { Access, Route, Upgrade } from '../http-route.ts'
import type { SessionBroker } from '../session-broker.ts'
import { awmDialect } from './awm-dialect.ts'
import type { Dialect } from './dialect.ts'
import { genericDialect } from './generic-dialect.ts'
import { HttpDoor } from './http-door.ts'
import { McpMethods } from './mcp-methods.ts'
import { ScenarioCatalog } from './scenario-catalog.ts'
import { SessionTable } from './session-table.ts'
import { WebSocketDoor } from './websocket-door.ts'

export interface OpenEnvOptions {
  /**
   * Who may come in. Whoever does can reset and is told rewards, so the default is `control`: those who hold the control
   * token. `client` opens it to everybody whom the server lets in at all.
   */
  readonly access?: Access
  /** Where the generic dialect lies. Default `/openenv`; the empty text is the root of the server. */
  readonly genericPrefix?: string
  /** Where the AWM dialect lies. Default `/openenv/awm`. */
  readonly awmPrefix?: string
  /** Most bytes of a request's body. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** Milliseconds that a reset waits in line for a world. Default 45 s, below the 60 s that the official client waits. */
  readonly queueTimeoutMs?: number
  /** Milliseconds after which a session that is addressed over HTTP and left alone is closed. Default: the broker's lease. */
  readonly idleMs?: number
  readonly clock?: Clock
}

/** Where the two dialects lie, for OpenEnv's clients: they append `/ws` themselves. */
export interface OpenEnvPaths {
  readonly generic: string
  readonly awm: string
}

/** A door to serve beside others. */
export interface OpenEnvDoor {
  readonly routes: readonly Route[]
  readonly upgrades: readonly Upgrade[]
  readonly paths: OpenEnvPaths
  /** Ends its sessions. The broker lives on. */
  close(): Promise<void>
}

/**
 * OpenEnv's protocol, for its unmodified Python clients: `GenericEnvClient` and `MCPToolClient` below one path, `AWMEnv`
 * below another. Source: OpenEnv (https://github.com/meta-pytorch/OpenEnv), core 0.3 and 0.10.
 */
export function openEnvRoutes(broker: SessionBroker, options: OpenEnvOptions = {}): OpenEnvDoor {
  const { genericPrefix = '/openenv', awmPrefix = '/openenv/awm' } = options
  const mounts = [mount(broker, genericDialect, genericPrefix, options), mount(broker, awmDialect, awmPrefix, options)]
  return {
    paths: { generic: genericPrefix, awm: awmPrefix },
    routes: mounts.flatMap(({ routes }) => routes),
    upgrades: mounts.flatMap(({ upgrades }) => upgrades),
    close: async () => {
      await Promise.all(mounts.map((door) => door.close()))
    },
  }
}

function mount(
  broker: SessionBroker,
  dialect: Dialect,
  prefix: string,
  options: OpenEnvOptions,
): Omit<OpenEnvDoor, 'paths'> {
  const { access = 'control', maxBodyBytes = 4 * 1024 ** 2, clock = systemClock } = options
  const { queueTimeoutMs = 45_000, idleMs = broker.leaseMs } = options
  const catalog = new ScenarioCatalog(broker.environments.values())
  const table = new SessionTable({ broker, catalog, dialect, clock, queueTimeoutMs }, idleMs)
  const methods = new McpMethods(table)
  const parts = { prefix, access, dialect, catalog, table, methods, maxBodyBytes }
  return {
    routes: new HttpDoor(parts).routes(),
    upgrades: new WebSocketDoor(parts).upgrades(),
    close: () => table.shutdown(),
  }
}
