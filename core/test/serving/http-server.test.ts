import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { readBody, sendJson } from '../../src/serving/http-problem.ts'
import type { Route, Upgrade } from '../../src/serving/http-route.ts'
import { HttpServer, type HttpServerOptions } from '../../src/serving/http-server.ts'
import { Gate } from './gated-world.ts'
import { rawExchange } from './raw-http.ts'

const echo: Route = {
  method: 'POST',
  path: '/echo/:name',
  handle: async (request, response, { path, query }) => {
    const body = (await readBody(request, 1_000)).toString()
    sendJson(response, 200, { body, name: path.name ?? null, twice: query.get('twice') })
  },
}
const broken: Route = {
  method: 'GET',
  path: '/broken',
  handle: () => {
    throw new Error('the secret is 42')
  },
}
const secret: Route = {
  method: 'GET',
  path: '/secret',
  access: 'control',
  handle: (_q, response) => sendJson(response, 200, {}),
}
const open: Route = {
  method: 'GET',
  path: '/open',
  access: 'public',
  handle: (_q, response) => sendJson(response, 200, {}),
}
/** What a client sends that asks once more over the same connection. */
const lastRequest = 'GET /open HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
const chat: Upgrade = { path: '/chat/:room', accept: (socket, _request, { path }) => socket.send(`hello ${path.room}`) }

async function listen(options: Partial<HttpServerOptions> = {}) {
  const lines: string[] = []
  const routes = [echo, broken, secret, open]
  const server = new HttpServer({
    routes,
    upgrades: [chat],
    graceMs: 100,
    log: (line) => void lines.push(line),
    ...options,
  })
  const address = await server.listen()
  onTestFinished(() => server.close())
  return { server, lines, ...address }
}

describe('HttpServer', () => {
  test('finds a route by method and pattern, and says what else there is', async () => {
    const { url } = await listen()
    const response = await fetch(`${url}/echo/a%20b?twice=2`, { method: 'POST', body: 'hi' })
    expect(await response.json()).toEqual({ body: 'hi', name: 'a b', twice: '2' })
    expect((await fetch(`${url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${url}/echo/%ff`, { method: 'POST' })).status).toBe(404)
    const wrong = await fetch(`${url}/echo/x`)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('refuses a body over the limit, announced or not, and goes on serving', async () => {
    const { url, port } = await listen()
    const long = 'x'.repeat(1_001)
    expect((await fetch(`${url}/echo/a`, { method: 'POST', body: long })).status).toBe(413)
    const chunked = `POST /echo/a HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n${long}\r\n0\r\n\r\n`
    expect((await rawExchange(port, chunked + lastRequest)).text).toMatch(/HTTP\/1.1 413[\s\S]*HTTP\/1.1 200/)
    expect((await fetch(`${url}/echo/a`, { method: 'POST', body: 'x'.repeat(1_000) })).status).toBe(200)
  })

  test.each([
    ['refused for its length', 'POST', '/echo/a', 413],
    ['sent to no address', 'POST', '/nowhere', 404],
    ['sent without the token', 'GET', '/secret', 401],
  ])('lets a long body through that is %s, so that its sender reads why', async (_what, method, path, status) => {
    const { port } = await listen({ controlToken: 'token' })
    const sent = (mib: number) => {
      const body = 'x'.repeat(mib * 1024 ** 2)
      return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}${lastRequest}`
    }
    const { text } = await rawExchange(port, sent(16))
    expect(text).toMatch(new RegExp(`HTTP/1.1 ${status}[\\s\\S]*HTTP/1.1 200`))
    const cut = await rawExchange(port, sent(80))
    expect([cut.closed, cut.text.includes('HTTP/1.1 200')]).toEqual([true, false])
  })

  test('reads no more from a connection whose requests are not answered yet, and answers them all in the end', async () => {
    const gate = new Gate()
    const slow: Route = {
      method: 'POST',
      path: '/slow',
      handle: async (request, response) => {
        await readBody(request, 2_000)
        await gate.wait()
        sendJson(response, 200, {})
      },
    }
    const { port } = await listen({ routes: [slow, open] })
    const requests = 2_000
    const body = 'x'.repeat(1_000)
    const one = `POST /slow HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n${body}`
    const exchange = rawExchange(port, one.repeat(requests) + lastRequest, 20_000)
    await expect.poll(() => gate.waiting).toBeGreaterThan(64)
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve))
    // What one read of 64 KiB holds may follow, several times.
    expect(gate.waiting).toBeLessThan(500)
    gate.open()
    const { text } = await exchange
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(requests + 1)
  })

  test('hides what went wrong inside and logs it', async () => {
    const { url, lines } = await listen()
    const response = await fetch(`${url}/broken`)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
    expect(lines).toEqual(['GET broken failed: the secret is 42'])
  })

  test('cuts off a client that stops in the middle of its headers or of its body', async () => {
    const { port } = await listen({ headersTimeoutMs: 100, requestTimeoutMs: 200 })
    const headers = rawExchange(port, 'POST /echo/a HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
    const body = rawExchange(port, 'POST /echo/a HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nhalf')
    expect((await headers).closed).toBe(true)
    expect((await body).closed).toBe(true)
  })

  test.each([
    ['a foreign host', { host: 'evil.example' }],
    ['a foreign page', { origin: 'https://evil.example' }],
    ['a page without a name', { origin: 'null' }],
  ])('refuses %s, so that no page in a browser reaches it', async (_what, names) => {
    const { port } = await listen()
    const lines = Object.entries({ host: 'localhost', ...names }).map(([name, value]) => `${name}: ${value}\r\n`)
    const { text } = await rawExchange(port, `GET /open HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`)
    expect(text).toContain('HTTP/1.1 403')
    const upgrade = `GET /chat/a HTTP/1.1\r\n${lines.join('')}connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    expect((await rawExchange(port, upgrade)).text).toContain('HTTP/1.1 403')
  })

  test('serves pages of this machine and names that it was told of', async () => {
    const { port } = await listen({ allowedHosts: ['box.lan'] })
    for (const names of [
      'host: [::1]:9\r\n',
      'host: box.lan\r\norigin: http://box.lan:81\r\n',
      'host: localhost\r\norigin: http://127.0.0.1:3\r\n',
    ]) {
      const { text } = await rawExchange(port, `GET /open HTTP/1.1\r\n${names}connection: close\r\n\r\n`)
      expect(text).toContain('HTTP/1.1 200')
    }
  })

  test('asks clients for the token and controllers for theirs, and takes neither for the other', async () => {
    const { url } = await listen({ token: 'agents', controlToken: 'boss' })
    const status = async (path: string, token?: string) =>
      (
        await fetch(url + path, {
          method: path === '/echo/a' ? 'POST' : 'GET',
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        })
      ).status
    expect(await status('/open')).toBe(200)
    expect([await status('/echo/a'), await status('/echo/a', 'wrong'), await status('/echo/a', 'agents')]).toEqual([
      401, 401, 200,
    ])
    expect([await status('/secret'), await status('/secret', 'agents'), await status('/secret', 'boss')]).toEqual([
      401, 401, 200,
    ])
    expect(await status('/echo/a', 'boss')).toBe(401)
  })

  test('has no control side when it has no control token', async () => {
    const { url } = await listen()
    expect((await fetch(`${url}/secret`, { headers: { authorization: 'Bearer ' } })).status).toBe(403)
  })

  test('listens beyond this machine only with a token, and says when a port is taken', async () => {
    const refused = expect.objectContaining({ code: 'RLENV_ADDRESS_UNUSABLE' })
    expect(() => new HttpServer({ routes: [], host: '0.0.0.0' })).toThrow(refused)
    const { port } = await listen()
    await expect(new HttpServer({ routes: [], port }).listen()).rejects.toThrow(refused)
  })

  test('hands WebSockets to the door they came to, refuses other addresses, and bounds their messages', async () => {
    const { url, port } = await listen({ maxMessageBytes: 100 })
    const socket = new WebSocket(`${url.replace('http', 'ws')}/chat/tea`)
    const [greeting] = await once(socket, 'message')
    expect(String(greeting)).toBe('hello tea')
    socket.send('x'.repeat(101))
    const [code] = await once(socket, 'close')
    expect(code).toBe(1009)
    const nowhere = new WebSocket(`ws://127.0.0.1:${port}/nowhere`)
    const [error] = await once(nowhere, 'error')
    expect(String(error)).toContain('404')
  })

  test('ends a WebSocket whose peer no longer answers', async () => {
    const { url } = await listen({ pingMs: 50 })
    const alive = new WebSocket(`${url.replace('http', 'ws')}/chat/a`)
    const dead = new WebSocket(`${url.replace('http', 'ws')}/chat/b`, { autoPong: false })
    await Promise.all([once(alive, 'message'), once(dead, 'message')])
    await once(dead, 'close')
    expect(alive.readyState).toBe(WebSocket.OPEN)
    alive.close()
  })

  test('lets a request under way end before it closes, and does not wait for one that never does', async () => {
    let finish: () => void = () => undefined
    const slow: Route = {
      method: 'GET',
      path: '/slow',
      handle: (_request, response) =>
        new Promise((resolve) => {
          finish = () => {
            sendJson(response, 200, { late: true })
            resolve()
          }
        }),
    }
    const stuck: Route = { method: 'GET', path: '/stuck', handle: () => new Promise(() => undefined) }
    const { server, url } = await listen({ routes: [slow, stuck], graceMs: 300 })
    const answer = fetch(`${url}/slow`)
    const never = fetch(`${url}/stuck`).catch(() => 'cut off')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const closing = server.close()
    finish()
    expect(await (await answer).json()).toEqual({ late: true })
    expect(await never).toBe('cut off')
    await closing
  })
})
