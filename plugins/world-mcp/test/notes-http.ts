import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { LoopbackServer } from './loopback-server.ts'

const inputSchema = { type: 'object' as const }
const tools = ['add', 'list', 'hang', 'cut', 'wipe'].map((name) => ({ name, inputSchema }))
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

export interface NotesOptions {
  /** One list of notes for all sessions. Default: each session has its own. */
  readonly shared?: boolean
  /** Answer with JSON instead of a stream of events. */
  readonly json?: boolean
}

/** A server of notes over streamable HTTP, in this process. */
export class NotesHttp extends LoopbackServer {
  readonly sessions = new Map<string, StreamableHTTPServerTransport>()
  readonly seen: IncomingHttpHeaders[] = []
  /** Names of called tools, in the order in which requests arrived. */
  readonly calls: string[] = []
  readonly #options: NotesOptions
  readonly #common: string[] = []

  constructor(options: NotesOptions = {}) {
    super((request, response) => void this.#take(request, response))
    this.#options = options
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.seen.push(request.headers)
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.sessions.get(id) : undefined
    if (known === undefined && id !== undefined) return void response.writeHead(404).end()
    await (known ?? (await this.#open())).handleRequest(request, response)
  }

  async #open(): Promise<StreamableHTTPServerTransport> {
    const session = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: this.#options.json ?? false,
      onsessioninitialized: (id) => void this.sessions.set(id, session),
      onsessionclosed: (id) => void this.sessions.delete(id),
    })
    await this.#server(this.#options.shared === true ? this.#common : []).connect(session as Transport)
    return session
  }

  #server(notes: string[]): Server {
    const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      this.calls.push(params.name)
      if (params.name === 'add') notes.push('note')
      if (params.name === 'wipe') notes.splice(0)
      if (params.name === 'cut') setTimeout(() => this.cut(), 50)
      if (params.name === 'hang' || params.name === 'cut') return new Promise<never>(() => {})
      return text(String(notes.length))
    })
    return server
  }
}
