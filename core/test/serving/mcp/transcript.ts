import { PassThrough } from 'node:stream'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { createMcpServer } from '../../../src/serving/mcp/create-mcp-server.ts'
import { serveStdio } from '../../../src/serving/mcp/serve-stdio.ts'
import type { Session } from '../../../src/serving/session.ts'

/** A JSON-RPC message as it is written down. */
export type Message = Readonly<Record<string, unknown>>

export const post = (body: string, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  body,
})

/** Says one message after the other through the SDK's own server, in this process. */
export async function inProcess(session: Session, messages: readonly Message[]): Promise<readonly unknown[]> {
  const [client, server] = InMemoryTransport.createLinkedPair()
  const sdk = createMcpServer(session)
  await sdk.connect(server)
  const answers: unknown[] = []
  for (const message of messages) {
    const answer = new Promise((resolve) => {
      client.onmessage = (received) => resolve(received)
    })
    await client.send(message as unknown as JSONRPCMessage)
    if ('id' in message) answers.push(await answer)
  }
  await sdk.close()
  return answers
}

/** The same over HTTP. */
export async function overHttp(url: string, messages: readonly Message[]): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const message of messages) {
    const response = await fetch(url, post(JSON.stringify(message)))
    const text = await response.text()
    if ('id' in message) answers.push(JSON.parse(text))
    else if (response.status !== 202 || text !== '') throw new Error(`a notification got ${response.status} ${text}`)
  }
  return answers
}

/** The same over stdio, cut into chunks of any size. */
export async function overStdio(
  session: Session,
  lines: readonly string[],
  chunkBytes = 7,
): Promise<readonly unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio({ session, input, output, maxLineBytes: 100_000 })
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  for (let from = 0; from < bytes.length; from += chunkBytes) input.write(bytes.subarray(from, from + chunkBytes))
  input.end()
  await served
  const text = String(output.read() ?? '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}
