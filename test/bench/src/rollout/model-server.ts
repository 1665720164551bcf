import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A model service that does nothing but be late: reads the conversation, waits as long as its header `x-delay` says, and
 * answers with a message of the usual size. Runs in a process of its own and sends its port to the parent.
 */
const reply = JSON.stringify({
  id: 'chatcmpl-0',
  object: 'chat.completion',
  model: 'mock',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x'.repeat(200) } }],
  usage: { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 },
})

const server = createServer((request, response) => {
  request.on('data', () => undefined)
  request.on('end', () => {
    setTimeout(() => response.end(reply), Number(request.headers['x-delay']))
  })
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', 4096, () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
