import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { errnoOf } from '../errors/file-error.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import { HttpGuard, loopbackHosts } from './http-guard.ts'
import { HttpProblem, sendProblem } from './http-problem.ts'
import { type Match, type Route, RouteTable, type Upgrade } from './http-route.ts'
import { PipelinedRequests } from './pipelined-requests.ts'

export interface HttpServerOptions {
  readonly routes: readonly Route[]
  readonly upgrades?: readonly Upgrade[]
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** 0 takes any free port. Default 0. */
  readonly port?: number
  readonly token?: string | null
  readonly controlToken?: string | null
  /** Names, besides those of this machine, that it may be addressed by. */
  readonly allowedHosts?: readonly string[]
  /** Most bytes of one WebSocket message. Default 4 MiB. */
  readonly maxMessageBytes?: number
  /** Milliseconds for the headers of a request. Default 10 s. */
  readonly headersTimeoutMs?: number
  /** Milliseconds for a whole request to arrive. Default 60 s. */
  readonly requestTimeoutMs?: number
  /** Milliseconds between two pings of a WebSocket; one that does not answer in between is cut off. Default 30 s. */
  readonly pingMs?: number
  /** Milliseconds that requests under way have when the server closes. Default 5 s. */
  readonly graceMs?: number
  /** Told what went wrong without being anybody's fault but ours. */
  readonly log?: (line: string) => void
}

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** One HTTP server for all doors: routes, WebSockets, bounds, tokens, and an end that waits for what is under way. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #routes: RouteTable<Route>
  readonly #upgrades: RouteTable<Upgrade>
  readonly #guard: HttpGuard
  readonly #server: Server
  readonly #sockets: WebSocketServer
  readonly #silent = new WeakSet<WebSocket>()
  readonly #pipelined = new PipelinedRequests()
  #pinger: NodeJS.Timeout | null = null

  /** @throws {RlenvError} RLENV_ADDRESS_UNUSABLE for an address beyond this machine without a token. */
  constructor(options: HttpServerOptions) {
    this.#options = options
    const { host = '127.0.0.1', token = null, controlToken = null, allowedHosts = [] } = options
    const isLocal = loopback.has(host)
    if (!isLocal && token === null) throw openToAll(host)
    const hosts = isLocal || allowedHosts.length > 0 ? [...loopbackHosts, ...allowedHosts] : null
    this.#guard = new HttpGuard({ hosts, token, controlToken })
    this.#routes = new RouteTable(options.routes)
    this.#upgrades = new RouteTable(options.upgrades ?? [])
    const { headersTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options
    this.#server = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs),
      keepAliveTimeout: 65_000,
      noDelay: true,
    })
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload: options.maxMessageBytes ?? 4 * 1024 ** 2 })
    this.#server.on('request', (request, response) => void this.#answer(request, response))
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** @throws {RlenvError} RLENV_ADDRESS_UNUSABLE */
  async listen(): Promise<ServerAddress> {
    const { host = '127.0.0.1', port = 0, pingMs = 30_000 } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => reject(unusable(host, port, cause)))
      this.#server.listen(port, host, resolve)
    })
    this.#pinger = setInterval(() => this.#ping(), pingMs).unref()
    const bound = (this.#server.address() as AddressInfo).port
    return { host, port: bound, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}` }
  }

  /** Takes no more connections, lets requests under way end within their grace, and cuts off what is left. */
  async close(): Promise<void> {
    if (this.#pinger !== null) clearInterval(this.#pinger)
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    for (const socket of this.#sockets.clients) socket.close(1001, 'the server is shutting down')
    const cut = setTimeout(() => {
      for (const socket of this.#sockets.clients) socket.terminate()
      this.#server.closeAllConnections()
    }, this.#options.graceMs ?? 5_000)
    await closed
    clearTimeout(cut)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#pipelined.began(request.socket, response)
    try {
      const { entry, params } = this.#route(request)
      this.#guard.admit(request, entry.access ?? 'client')
      await entry.handle(request, response, params)
    } catch (thrown) {
      this.#report(request, thrown)
      sendProblem(response, thrown)
    } finally {
      if (!request.readableEnded) letThrough(request)
    }
  }

  #route({ method, url = '/' }: IncomingMessage): Match<Route> {
    const found = this.#routes.find(url)
    const match = found.find(({ entry }) => entry.method === method)
    if (match !== undefined) return match
    if (found.length === 0) throw new HttpProblem('there is nothing at this address', { status: 404 })
    const allow = found.map(({ entry }) => entry.method).join(', ')
    throw new HttpProblem(`this address takes ${allow}`, { status: 405, headers: { allow } })
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    try {
      const [match] = this.#upgrades.find(request.url ?? '/')
      if (match === undefined) throw new HttpProblem('there is no WebSocket at this address', { status: 404 })
      this.#guard.admit(request, match.entry.access ?? 'client')
      this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
        // ws closes the connection itself after an error; without a listener it would end the process.
        accepted.on('error', () => undefined)
        accepted.on('pong', () => this.#silent.delete(accepted))
        match.entry.accept(accepted, request, match.params)
      })
    } catch (thrown) {
      this.#report(request, thrown)
      const status = thrown instanceof HttpProblem ? thrown.status : 500
      socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    }
  }

  /** A peer that has vanished without a word answers no ping, and its socket closes as any other. */
  #ping(): void {
    for (const socket of this.#sockets.clients) {
      if (this.#silent.has(socket)) socket.terminate()
      else {
        this.#silent.add(socket)
        socket.ping()
      }
    }
  }

  #report(request: IncomingMessage, thrown: unknown): void {
    if (thrown instanceof HttpProblem || thrown instanceof RlenvError) return
    this.#options.log?.(`${request.method} ${request.url?.split('/')[1] ?? ''} failed: ${messageOf(thrown)}`)
  }
}

/** Most bytes of a body that are let through unread. */
const mostUnreadBytes = 64 * 1024 ** 2

/**
 * Takes what nobody has read of a body, so that its sender comes to read the answer: a connection that is closed under
 * bytes that are still on their way takes the answer with it.
 */
function letThrough(request: IncomingMessage): void {
  let unread = 0
  request.on('data', (chunk: Buffer) => {
    unread += chunk.length
    if (unread > mostUnreadBytes) request.destroy()
  })
}

function openToAll(host: string): RlenvError {
  return new RlenvError(`listening on ${host} would let everybody in who can reach this machine`, {
    code: 'RLENV_ADDRESS_UNUSABLE',
    fix: 'Set a token in the environment variable RLENV_SERVE_TOKEN, or listen on 127.0.0.1.',
  })
}

function unusable(host: string, port: number, cause: Error): RlenvError {
  const why = errnoOf(cause) === 'EADDRINUSE' ? 'it is in use' : cause.message
  return new RlenvError(`cannot listen on ${host}:${port}: ${why}`, {
    code: 'RLENV_ADDRESS_UNUSABLE',
    fix: 'Choose another port, or 0 for any free one.',
    cause,
  })
}
