import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Environment, serveEnvironments } from 'rlenv'
import { tinyEnvironment } from 'rlenv/testing'

/** What the bench asks of the process that serves. */
export type HostRequest =
  | { readonly ask: 'open'; readonly sessions: number }
  | { readonly ask: 'cpu' }
  | { readonly ask: 'end' }

export interface HostAddresses {
  readonly served: string
  /** Parses the JSON that it is sent and answers with JSON as long as a call's answer. */
  readonly echo: string
}

const environment: Environment = tinyEnvironment()

/** As long as the answer to the bench's call. */
const padding = 'x'.repeat(160)

const echo = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number }
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: padding }] } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))

const server = await serveEnvironments({
  environments: [environment],
  openEnv: { access: 'client' },
  capacity: 4_096,
  graceMs: 0,
})

const say = (message: unknown) => process.send?.(message)

process.on('message', async (request: HostRequest) => {
  if (request.ask === 'cpu') {
    const { user, system } = process.cpuUsage()
    return say(user + system)
  }
  if (request.ask === 'end') {
    echo.closeAllConnections()
    echo.close()
    await server.close()
    return process.disconnect()
  }
  const opened = Array.from({ length: request.sessions }, () => server.broker.open({ environmentId: environment.id }))
  say((await Promise.all(opened)).map(({ handle }) => handle))
})

const { port } = echo.address() as AddressInfo
say({ served: server.address.url, echo: `http://127.0.0.1:${port}` } satisfies HostAddresses)
