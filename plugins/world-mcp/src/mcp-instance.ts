import {
  type CallOutcome,
  type CapturedState,
  type Json,
  type JsonObject,
  RlenvError,
  type ToolDefinition,
  type ToolResult,
  type WorldInstance,
} from 'rlenv'
import { toolResult } from './call-result.ts'
import type { Lease } from './connection-pool.ts'
import type { CallEnd, McpConnection } from './mcp-connection.ts'
import { PathAlias } from './path-alias.ts'
import { type CheckedCall, doubtsCall, refusedResult, type ServerError, wrappedError } from './server-error.ts'
import type { WorldCall } from './server-options.ts'
import type { ServerTarget } from './server-target.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { invalidArguments, timedOut, toolFault, unknownTool } from './tool-failure.ts'
import { capturedState, ToolState } from './tool-state.ts'

/** A tool that no server has. */
const absentTool = 'rlenv_absent_tool'
/** Longest error message that is kept; results have a bound of their own. */
const mostMessageChars = 4_000

export interface InstanceOptions {
  readonly callTimeoutMs: number
  readonly maxResultChars: number
  /** One catalog per distinct list of tools, so that instances share their checks. */
  readonly catalogOf: (connection: McpConnection) => ToolCatalog
}

/** One rollout's own connection to a server. */
export class McpInstance implements WorldInstance {
  readonly #lease: Lease
  readonly #connection: McpConnection
  readonly #target: ServerTarget
  readonly #options: InstanceOptions
  readonly #closed = new AbortController()
  readonly #paths: PathAlias
  #catalog: ToolCatalog
  #initial: ToolState | null = null
  /** Whether errors of tools come as results; null as long as nobody asked. */
  #sendsResults: boolean | null = null

  private constructor(lease: Lease, target: ServerTarget, options: InstanceOptions) {
    this.#lease = lease
    this.#connection = lease.connection
    this.#paths = new PathAlias(lease.connection.workspace)
    this.#target = target
    this.#options = options
    this.#catalog = options.catalogOf(lease.connection)
  }

  /** @throws {RlenvError} RLENV_SERVER_FAILED when the world cannot be reset or its state not be read. */
  static async open(
    lease: Lease,
    target: ServerTarget,
    options: InstanceOptions,
    signal: AbortSignal,
  ): Promise<McpInstance> {
    const instance = new McpInstance(lease, target, options)
    const { reset, state } = target
    if (reset !== null) await instance.#own(reset, signal)
    if (state !== null) instance.#initial = await instance.#readState(state, signal)
    return instance
  }

  get catalog(): ToolCatalog {
    return this.#catalog
  }

  get tools(): readonly ToolDefinition[] {
    return this.#catalog.definitions
  }

  async call(name: string, args: Json, signal: AbortSignal): Promise<CallOutcome> {
    const tool = this.#catalog.tool(name)
    if (tool === undefined) return unchanged(unknownTool(name, this.#names))
    const checked = ToolCatalog.validate(tool, args)
    if (!checked.ok) return unchanged(invalidArguments(name, checked.violations))
    const end = await this.#send(tool.serverName, checked.value, signal)
    await this.#refresh(signal)
    return unchanged(await this.#result({ name, tool, args: checked.value }, end, signal))
  }

  async capture(): Promise<CapturedState | null> {
    const { state } = this.#target
    if (state === null || this.#initial === null) return null
    return capturedState(this.#initial, await this.#readState(state, this.#closed.signal))
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#closed.abort(new Error('the instance is closed'))
    await this.#lease.end()
  }

  async #send(serverName: string, args: JsonObject, signal: AbortSignal): Promise<CallEnd> {
    const sent = this.#paths.toServer(args)
    return this.#paths.fromServer(await this.#connection.call(serverName, sent, this.#options.callTimeoutMs, signal))
  }

  /** A list that changed is read before the next call, so that a policy can call what it was told about. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const before = this.#connection.tools
    await this.#connection.refresh(this.#options.callTimeoutMs, signal)
    if (this.#connection.tools !== before) this.#catalog = this.#options.catalogOf(this.#connection)
  }

  get #names(): readonly string[] {
    return this.tools.map(({ name }) => name)
  }

  /** Asked with a tool that is not there, when it first matters: a server sends that error as it sends all of its tools'. */
  async #wrapsErrors(signal: AbortSignal): Promise<boolean> {
    if (this.#sendsResults === null) {
      const end = await this.#send(absentTool, {}, signal)
      this.#sendsResults = end.kind === 'answered' && end.result.isError === true
    }
    return this.#sendsResults
  }

  async #result(call: CheckedCall, end: CallEnd, signal: AbortSignal): Promise<ToolResult> {
    const { name, tool } = call
    switch (end.kind) {
      case 'answered': {
        const error = wrappedError(end.result)
        if (error !== null) return this.#refused(call, error, signal)
        const maxChars = this.#options.maxResultChars
        return toolResult(name, end.result, { maxChars, outputSchema: tool.outputSchema })
      }
      case 'refused':
        return this.#refused(call, { ...end, isWrapped: false }, signal)
      case 'malformed':
      case 'lost':
        return toolFault(name, end.message.slice(0, mostMessageChars))
      case 'timeout':
        return timedOut(name, this.#options.callTimeoutMs)
    }
  }

  /** The list is read again where the server may not have the tool any more, for not every server says so. */
  async #refused(
    call: CheckedCall,
    { code, message, isWrapped }: ServerError,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const error = { code, message: message.slice(0, mostMessageChars), isWrapped }
    if (doubtsCall(error)) {
      this.#connection.doubtTools()
      await this.#refresh(signal)
    }
    return refusedResult({ ...call, error, known: this.#names, wrapsErrors: () => this.#wrapsErrors(signal) })
  }

  async #readState(state: WorldCall, signal: AbortSignal): Promise<ToolState> {
    const content = await this.#own(state, signal)
    return new ToolState(typeof content === 'string' ? parsed(content) : content)
  }

  /** A call of the world itself, whose failure is the environment's. */
  async #own({ tool, arguments: args = {} }: WorldCall, signal: AbortSignal): Promise<Json> {
    const end = await this.#send(tool, args, signal)
    const bounds = { maxChars: Number.POSITIVE_INFINITY, outputSchema: null }
    const result = end.kind === 'answered' ? toolResult(tool, end.result, bounds) : null
    if (result?.ok === true) return result.content
    const why = result === null ? ('message' in end ? end.message : end.kind) : result.error.message
    throw new RlenvError(`the MCP server ${this.#target.label} did not carry out ${tool} for the world: ${why}`, {
      code: 'RLENV_SERVER_FAILED',
      fix: 'Correct "reset" and "state" of the server.',
    })
  }
}

/** Nothing is known about rows until the state is captured. */
const unchanged = (result: ToolResult): CallOutcome => ({ result, diff: [] })

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
