import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Json } from '../../vocabulary/json.ts'

const codes = {
  parseError: ErrorCode.ParseError,
  invalidRequest: ErrorCode.InvalidRequest,
  methodNotFound: ErrorCode.MethodNotFound,
  invalidParams: ErrorCode.InvalidParams,
  internalError: ErrorCode.InternalError,
  /** The first of the codes that JSON-RPC leaves to servers; the SDK's transports use it for what HTTP refuses. */
  refused: -32_000,
} as const satisfies Record<string, number>

/** A request that is answered with a JSON-RPC error. `code` is a number, as the SDK reads it. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly code: number
  readonly data: Json | undefined

  constructor(kind: keyof typeof codes, message: string, data?: Json) {
    super(message)
    this.code = codes[kind]
    this.data = data
  }
}
