import { isObject } from '../../environment/tools/schema-references.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'

/** Codes of JSON-RPC 2.0 that OpenEnv's `/mcp` uses. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
} as const

export interface RpcRequest {
  readonly method: string
  readonly params: JsonObject
  readonly id: string | number | null
}

/** A request, or the response that says why it is none. */
export type ReadRequest =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  | { readonly kind: 'refused'; readonly response: JsonObject }

export function rpcResult(id: RpcRequest['id'], result: Json): JsonObject {
  return { jsonrpc: '2.0', id, result }
}

export function rpcError(
  id: RpcRequest['id'],
  code: keyof typeof rpcCodes,
  message: string,
  data: Json = null,
): JsonObject {
  return { jsonrpc: '2.0', id, error: { code: rpcCodes[code], message, data } }
}

/** Reads the text of one request. */
export function parseRpcRequest(text: string): ReadRequest {
  try {
    return readRpcRequest(JSON.parse(text) as Json)
  } catch {
    return { kind: 'refused', response: rpcError(null, 'parse', 'Parse error') }
  }
}

/** Exactly `jsonrpc`, `method` and, where wanted, `params` (an object) and `id`; batches are not known. */
export function readRpcRequest(value: Json): ReadRequest {
  const wrong = isObject(value) ? wrongWith(value) : 'it is not an object'
  if (wrong === null) {
    const { method, params = {}, id = null } = value as JsonObject
    return { kind: 'request', request: { method: String(method), params: params as JsonObject, id: id as string } }
  }
  return { kind: 'refused', response: rpcError(null, 'invalidRequest', `Invalid request: ${wrong}`) }
}

const known = ['jsonrpc', 'method', 'params', 'id']

function wrongWith(value: JsonObject): string | null {
  const { jsonrpc, method, params, id } = value
  const extra = Object.keys(value).find((key) => !known.includes(key))
  if (extra !== undefined) return `"${extra}" is not permitted`
  if (jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"'
  if (typeof method !== 'string') return '"method" must be a string'
  if (params !== undefined && !isObject(params)) return '"params" must be an object'
  const isId = id === undefined || id === null || typeof id === 'string' || Number.isInteger(id)
  return isId ? null : '"id" must be a string, an integer or null'
}
