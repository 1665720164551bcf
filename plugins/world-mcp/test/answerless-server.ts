import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { LoopbackServer } from './loopback-server.ts'

interface Message {
  readonly id?: number
  readonly method: string
  readonly params: { readonly name: string; readonly protocolVersion: string }
}

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }

/** What each tool's call gets in place of an answer. */
export const answers: Readonly<Record<string, (response: ServerResponse, id: number | undefined) => unknown>> = {
  accepted: (response) => response.writeHead(202).end(),
  no_content: (response) => response.writeHead(204).end(),
  empty: (response) => response.writeHead(200, json).end(),
  empty_stream: (response) => response.writeHead(200, events).end(),
  neither: (response, id) => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id })),
  neither_in_stream: (response, id) =>
    response.writeHead(200, events).end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id })}\n\n`),
  another: (response) => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: 4711, result: {} })),
}

/** A server over HTTP whose tools are never answered; written out, for the SDK lets no server do that. */
export class AnswerlessServer extends LoopbackServer {
  constructor() {
    super((request, response) => void take(request, response))
  }
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const { id, method, params } = JSON.parse(await text(request)) as Message
  if (id === undefined) return void response.writeHead(202).end()
  if (method === 'tools/call') return void answers[params.name]?.(response, id)
  const result = method === 'initialize' ? greeting(params.protocolVersion) : listed
  response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

function greeting(protocolVersion: string) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'answerless', version: '1.0.0' } }
}

const listed = { tools: Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' } })) }
