import { randomUUID } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

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
export class NotesHttp {
  readonly sessions = new Map<string, StreamableHTTPServerTransport>()
  readonly seen: IncomingHttpHeaders[] = []
  /** Names of called tools, in the order in which requests arrived. */
  readonly calls: string[] = []
  readonly #options: NotesOptions
  readonly #common: string[] = []
  readonly #http: HttpServer

  constructor(options: NotesOptions = {}) {
    this.#options = options
    this.#http = createServer((request, response) => {
      this.seen.push(request.headers)
      const id = request.headers['mcp-session-id']
      const known = typeof id === 'string' ? this.sessions.get(id) : undefined
      if (known !== undefined) return void known.handleRequest(request, response)
      if (id !== undefined) return void response.writeHead(404).end()
      void this.#open().then((session) => session.handleRequest(request, response))
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`
  }

  /** As if the machine had gone. */
  async stop(): Promise<void> {
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
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
      if (params.name === 'cut') setTimeout(() => this.#http.closeAllConnections(), 50)
      if (params.name === 'hang' || params.name === 'cut') return new Promise<never>(() => {})
      return text(String(notes.length))
    })
    return server
  }
}
