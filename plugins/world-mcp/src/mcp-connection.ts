import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isRlenvError, type JsonObject, RlenvError, rlenvVersion } from 'rlenv'
import { HttpTransport } from './http-transport.ts'
import type { ProcessReaper } from './process-reaper.ts'
import { withoutEnvelope } from './server-error.ts'
import type { ServerTarget, StdioTarget } from './server-target.ts'
import { StdioTransport } from './stdio-transport.ts'
import { type ListedTool, toolPageSchema } from './tool-catalog.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

/** How a call ended. A rejection means that the caller's own signal was aborted. */
export type CallEnd =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** An error of JSON-RPC, sent by the server. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** The server answered with what no result is. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'lost'; readonly message: string }

/** One connection to one server, from its start to its end. */
export interface McpConnection {
  /** As the server lists them now. */
  readonly tools: readonly ListedTool[]
  /** Why it cannot be used any more; null as long as it can. */
  readonly fault: string | null
  /** The folder of its own that the server works in; null without one. */
  readonly workspace: string | null
  /** What the log should know about this server, once. */
  readonly remarks: readonly string[]
  /** Takes the list for outdated, though the server has not said so. */
  doubtTools(): void
  /** Reads the list again if it is outdated; a list that cannot be read leaves the old one. */
  refresh(timeoutMs: number, signal: AbortSignal): Promise<void>
  /** Sends a call once. When `timeoutMs` are over or the signal aborts, the server is told that nobody waits any more. */
  call(tool: string, args: JsonObject, timeoutMs: number, signal: AbortSignal): Promise<CallEnd>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Milliseconds from the start to the list of tools. */
  readonly startTimeoutMs: number
  readonly reaper: ProcessReaper
}

/** The longest wait that a timer takes; the real limit is this module's own. */
const noTimeout = 2 ** 31 - 1
const mostPages = 1_000

/** What a connection stands on. */
interface Line {
  readonly transport: Transport
  /** How the other side ended and what it last said; empty when nothing is known. */
  describe(): string
  readonly remarks: readonly string[]
  close(): Promise<void>
}

/**
 * Starts or reaches a server, greets it and reads its tools.
 *
 * @throws {RlenvError} RLENV_SERVER_FAILED with what the server last said; the signal's reason when it aborts.
 */
export async function connect(
  target: ServerTarget,
  { startTimeoutMs, reaper }: ConnectOptions,
  signal: AbortSignal,
): Promise<McpConnection> {
  const workspace = target.kind === 'stdio' && target.workspace !== null ? await openWorkspace(target.workspace) : null
  const line = target.kind === 'stdio' ? stdioLine(target, workspace, reaper) : httpLine(new HttpTransport(target))
  const close = async () => {
    await line.close()
    await workspace?.remove()
  }
  const deadline = AbortSignal.timeout(startTimeoutMs)
  try {
    signal.throwIfAborted()
    const parts = { line, close, workspace: workspace?.path ?? null }
    return await greeted(parts, AbortSignal.any([signal, deadline]))
  } catch (cause) {
    await close()
    signal.throwIfAborted()
    const why = deadline.aborted ? `it was not ready within ${startTimeoutMs} ms` : withCause(cause)
    throw serverFailed(target, [why, line.describe()], cause)
  }
}

function serverFailed({ label }: ServerTarget, reasons: readonly string[], cause: unknown): RlenvError {
  const why = reasons.filter((reason) => reason !== '').join('; ')
  const fix = isRlenvError(cause) ? cause.fix : undefined
  return new RlenvError(`the MCP server ${label} did not start: ${why}`, {
    code: 'RLENV_SERVER_FAILED',
    fix: fix ?? 'Run the server by hand with the same command, or correct its options.',
    cause,
  })
}

function stdioLine(target: StdioTarget, workspace: Workspace | null, reaper: ProcessReaper): Line {
  const filled = (text: string) => (workspace === null ? text : text.replaceAll('{workspace}', workspace.path))
  const { command, args, env, cwd } = target
  const variables = Object.entries(env).map(([name, value]) => [name, filled(value)])
  const transport = new StdioTransport(
    {
      command: filled(command),
      args: args.map(filled),
      env: Object.fromEntries(variables),
      cwd: cwd === null ? (workspace?.path ?? null) : filled(cwd),
    },
    reaper,
  )
  return {
    transport,
    describe: () => transport.describe(),
    get remarks() {
      return transport.isNoisy ? [`${target.label} writes to stdout what is no protocol; it is skipped`] : []
    },
    close: () => transport.close(),
  }
}

function httpLine(session: HttpTransport): Line {
  return { transport: session.transport, describe: () => '', remarks: [], close: () => session.close() }
}

/** The part of a start that talks; whatever it waits for ends with the signal. */
async function greeted(parts: ConnectionParts, signal: AbortSignal): Promise<McpConnection> {
  const client = new Client({ name: 'rlenv', version: rlenvVersion }, { capabilities: {} })
  const connection = new ClientConnection(client, parts)
  await untilAborted(client.connect(parts.line.transport, { timeout: noTimeout }), signal)
  await untilAborted(connection.readTools(), signal)
  return connection
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

interface ConnectionParts {
  readonly line: Line
  readonly workspace: string | null
  close(): Promise<void>
}

class ClientConnection implements McpConnection {
  tools: readonly ListedTool[] = []
  fault: string | null = null
  readonly workspace: string | null
  readonly #client: Client
  readonly #line: Line
  readonly #close: () => Promise<void>
  #isStale = false
  #closing: Promise<void> | null = null

  constructor(client: Client, { line, workspace, close }: ConnectionParts) {
    this.#client = client
    this.#line = line
    this.workspace = workspace
    this.#close = close
    client.onclose = () => {
      this.fault ??= line.describe() || 'the connection is closed'
    }
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.doubtTools())
  }

  get remarks(): readonly string[] {
    return this.#line.remarks
  }

  doubtTools(): void {
    this.#isStale = true
  }

  async refresh(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isStale || this.fault !== null) return
    try {
      await untilAborted(this.readTools(), AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
    } catch {
      signal.throwIfAborted()
      this.#isStale = true
    }
  }

  async readTools(): Promise<void> {
    this.#isStale = false
    const tools: ListedTool[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const params = cursor === undefined ? {} : { cursor }
      const page = await this.#client.request({ method: 'tools/list', params }, toolPageSchema, { timeout: noTimeout })
      tools.push(...page.tools)
      cursor = page.nextCursor
      if (cursor !== undefined && (seen.has(cursor) || seen.size >= mostPages)) {
        throw new Error(`its list of tools has no end: page "${cursor}" comes again, or after ${mostPages} others`)
      }
      if (cursor !== undefined) seen.add(cursor)
    } while (cursor !== undefined)
    this.tools = tools
  }

  async call(tool: string, args: JsonObject, timeoutMs: number, signal: AbortSignal): Promise<CallEnd> {
    signal.throwIfAborted()
    if (this.fault !== null) return { kind: 'lost', message: this.fault }
    // A signal of its own: the SDK leaves its listener on the one it is given.
    const waiting = new AbortController()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      waiting.abort(`no answer within ${timeoutMs} ms`)
    }, timeoutMs)
    const onAbort = () => waiting.abort('the caller is gone')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const request = { method: 'tools/call' as const, params: { name: tool, arguments: { ...args } } }
      const options = { timeout: noTimeout, signal: waiting.signal }
      const result = await this.#client.request(request, CallToolResultSchema, options)
      return { kind: 'answered', result }
    } catch (cause) {
      signal.throwIfAborted()
      return isLate ? { kind: 'timeout' } : this.#failed(cause)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends once, however often it is asked for. */
  close(): Promise<void> {
    this.fault ??= 'the connection is closed'
    this.#closing ??= this.#close()
    return this.#closing
  }

  #failed(cause: unknown): CallEnd {
    if (this.fault !== null) return { kind: 'lost', message: this.fault }
    if (cause instanceof McpError) {
      return { kind: 'refused', code: cause.code, message: withoutEnvelope(cause.message) }
    }
    if (isSchemaError(cause)) return { kind: 'malformed', message: 'what it answered is no tool result' }
    return { kind: 'lost', message: withCause(cause) }
  }
}

const isSchemaError = (cause: unknown): boolean => cause instanceof Error && /ZodError$/.test(cause.name)

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** fetch says "fetch failed" and keeps the reason to its cause. */
function withCause(thrown: unknown): string {
  const inner = thrown instanceof Error ? thrown.cause : undefined
  return inner instanceof Error ? `${messageOf(thrown)}: ${inner.message}` : messageOf(thrown)
}
