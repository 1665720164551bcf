import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from './mcp-tools.ts'

export type RequestId = string | number

/** One message of a client. `reply` is the answer to something we never asked. */
export type McpMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'reply' }

const requestKeys: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

/**
 * Reads one JSON-RPC message as the SDK's schemas define it.
 *
 * @returns null when it is none.
 */
export function readMessage(value: unknown): McpMessage | null {
  if (!isRecord(value)) return null
  if (!isPlain(value) && !JSONRPCMessageSchema.safeParse(value).success) return null
  const { id, method, params } = value
  if (typeof method !== 'string') return { kind: 'reply' }
  if (id === undefined) return { kind: 'notification', method, params }
  return { kind: 'request', id: id as RequestId, method, params }
}

/** What the schemas accept for sure, found without them: they cost more than a call does. */
function isPlain(value: Readonly<Record<string, unknown>>): boolean {
  const { jsonrpc, id, method, params } = value
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false
  if (params !== undefined && (!isRecord(params) || params._meta !== undefined)) return false
  for (const key in value) if (!requestKeys.has(key)) return false
  return true
}
