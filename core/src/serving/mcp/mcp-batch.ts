import { McpFailure } from './mcp-failure.ts'
import { type McpMessage, readMessage } from './mcp-message.ts'

/** As many messages as the SDK takes in one batch. */
const longestBatch = 100

/** The first version of MCP without batches. Versions are dates, so that their order is that of their text. */
const withoutBatches = '2025-06-18'

/** What is spoken where nobody has said which version it is. @see MCP 2025-11-25, basic/transports, "Protocol Version Header". */
export const assumedVersion = '2025-03-26'

/**
 * Reads what a client sent as one JSON value: a message, or a batch of them where the version has batches.
 *
 * @param version - what the client and this server speak.
 * @throws {McpFailure} -32600 for a batch that may not be, -32700 for what is no message.
 */
export function readMessages(value: unknown, version: string): readonly McpMessage[] {
  const values = Array.isArray(value) ? batch(value, version) : [value]
  const messages = values.map((each) => {
    const message = readMessage(each)
    if (message === null) throw new McpFailure('parseError', 'Parse error: Invalid JSON-RPC message')
    return message
  })
  if (messages.length > 1 && messages.some(isInitialize)) throw invalid('Only one initialization request is allowed')
  return messages
}

/** One text for the answers to what came together; null when nothing is to be said. */
export function joinAnswers(answers: readonly (string | null)[]): string | null {
  const [first, ...others] = answers.filter((text) => text !== null)
  if (first === undefined) return null
  return others.length === 0 ? first : `[${[first, ...others].join(',')}]`
}

export const isInitialize = (message: McpMessage): boolean => {
  return message.kind === 'request' && message.method === 'initialize'
}

function batch(values: readonly unknown[], version: string): readonly unknown[] {
  if (version >= withoutBatches) throw invalid(`MCP ${version} has no batches; send one message at a time`)
  if (values.length > longestBatch) throw invalid(`Batch must not exceed ${longestBatch} messages`)
  if (values.length === 0) throw invalid('empty batch')
  return values
}

const invalid = (why: string) => new McpFailure('invalidRequest', `Invalid Request: ${why}`)
