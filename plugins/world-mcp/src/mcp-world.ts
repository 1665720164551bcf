import {
  contentHash,
  type Environment,
  isRlenvError,
  RlenvError,
  type ToolCall,
  type World,
  type WorldRequest,
} from 'rlenv'
import { ConnectionPool } from './connection-pool.ts'
import { environmentOfServer, environmentWithoutServer, type Played } from './environment-of-server.ts'
import type { McpEnvironmentOptions } from './environment-options.ts'
import type { McpConnection } from './mcp-connection.ts'
import { McpInstance } from './mcp-instance.ts'
import type { ServerTarget } from './server-target.ts'
import { ToolCatalog } from './tool-catalog.ts'

export interface McpWorldSettings {
  readonly startTimeoutMs: number
  readonly callTimeoutMs: number
  readonly maxResultChars: number
  readonly maxConcurrent: number
  readonly prefetch: number
  readonly strict: boolean
}

/** An environment's options with the server that its instances are opened on. */
export interface Place {
  readonly options: McpEnvironmentOptions
  readonly target: ServerTarget
}

/** Distinct lists of tools that are remembered; a server may make up a new one each time. */
const mostCatalogs = 256

/** Opens instances of environments whose tools are those of MCP servers: one connection each, never used twice. */
export class McpWorld implements World {
  readonly name = 'mcp'
  readonly #places: ReadonlyMap<string, Place>
  readonly #settings: McpWorldSettings
  readonly #pool: ConnectionPool
  readonly #catalogs = new Map<string, ToolCatalog>()
  readonly #said = new Set<string>()
  readonly #log: (line: string) => void

  constructor(places: readonly Place[], settings: McpWorldSettings, log: (line: string) => void) {
    this.#places = new Map(places.map((place) => [place.options.id, place]))
    this.#settings = settings
    this.#log = log
    this.#pool = new ConnectionPool({ ...settings, log })
  }

  /**
   * @throws {RlenvError} RLENV_TASK_INVALID, RLENV_TOOL_INVALID; RLENV_SERVER_FAILED in strict mode, and when no server
   *   at all starts.
   */
  async environments(signal: AbortSignal): Promise<readonly Environment[]> {
    const places = [...this.#places.values()]
    const made = await Promise.all(places.map((place) => this.#environment(place, signal)))
    const [first] = made.flatMap(({ cause }) => cause ?? [])
    if (first !== undefined && (this.#settings.strict || made.every(({ cause }) => cause !== null))) throw first
    for (const { cause } of made) if (cause !== null) this.#log(`its rollouts will be faults: ${cause.message}`)
    return made.map(({ environment }) => environment)
  }

  /** @throws {RlenvError} RLENV_SERVER_FAILED; RLENV_TOOL_INVALID. */
  async open({ environment }: Pick<WorldRequest, 'environment'>, signal: AbortSignal): Promise<McpInstance> {
    const place = this.#places.get(environment.id)
    if (place === undefined) throw this.#unknown(environment.id)
    return this.#opened(place, signal)
  }

  prepare({ id }: Environment): void {
    const place = this.#places.get(id)
    if (place !== undefined) this.#pool.prefetch(place.target)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #environment(
    { options, target }: Place,
    signal: AbortSignal,
  ): Promise<{ readonly environment: Environment; readonly cause: RlenvError | null }> {
    const place = { options, target }
    const fresh: McpInstance[] = []
    try {
      const first = await this.#opened(place, signal)
      fresh.push(first)
      const play = async (calls: readonly ToolCall[]) =>
        played(fresh.pop() ?? (await this.#opened(place, signal)), calls, signal)
      return { environment: await environmentOfServer(options, { catalog: first.catalog, play }), cause: null }
    } catch (cause) {
      if (!isRlenvError(cause) || cause.code !== 'RLENV_SERVER_FAILED') throw cause
      return { environment: environmentWithoutServer(options), cause }
    } finally {
      for (const instance of fresh) await instance.close()
    }
  }

  async #opened({ target }: Place, signal: AbortSignal): Promise<McpInstance> {
    const lease = await this.#pool.take(target, signal)
    try {
      this.#remark(lease.connection.remarks)
      const { callTimeoutMs, maxResultChars } = this.#settings
      const catalogOf = ({ tools }: McpConnection) => this.#catalog(tools, target)
      return await McpInstance.open(lease, target, { callTimeoutMs, maxResultChars, catalogOf }, signal)
    } catch (cause) {
      await lease.end()
      throw cause
    }
  }

  /** Instances with equal lists share one catalog, and with it what is derived from it. */
  #catalog(tools: McpConnection['tools'], { key, label, offered }: ServerTarget): ToolCatalog {
    const hash = contentHash([key, tools])
    const known = this.#catalogs.get(hash)
    if (known !== undefined) return known
    const catalog = new ToolCatalog(tools, offered)
    this.#remark(catalog.remarks.map((line) => `${label}: ${line}`))
    const [oldest] = this.#catalogs.keys()
    if (this.#catalogs.size >= mostCatalogs && oldest !== undefined) this.#catalogs.delete(oldest)
    this.#catalogs.set(hash, catalog)
    return catalog
  }

  #remark(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#said.has(line)) continue
      this.#said.add(line)
      this.#log(line)
    }
  }

  #unknown(id: string): RlenvError {
    return new RlenvError(`this world has no server for the environment "${id}"; it has ${[...this.#places.keys()]}`, {
      code: 'RLENV_PLUGIN_OPTIONS',
      fix: 'Add the environment to "environments" of mcpWorld().',
    })
  }
}

/** Carries calls out on an instance that nothing was done in before, and closes it. */
async function played(instance: McpInstance, calls: readonly ToolCall[], signal: AbortSignal): Promise<Played> {
  try {
    const outcomes = []
    for (const { tool, arguments: args } of calls) outcomes.push(await instance.call(tool, args, signal))
    return { outcomes, diff: (await instance.capture())?.diff ?? null }
  } finally {
    await instance.close()
  }
}
