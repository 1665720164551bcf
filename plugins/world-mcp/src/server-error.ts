import { type CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject, ToolResult } from 'rlenv'
import { keepsInputSchema } from './input-contract.ts'
import type { CatalogTool } from './tool-catalog.ts'
import { invalidArguments, refusal, toolFault, unknownTool } from './tool-failure.ts'

/** An error of JSON-RPC that a server answered a call with. */
export interface ServerError {
  readonly code: number
  /** For whoever reads it: nothing is decided by it. */
  readonly message: string
  /** Whether it lay in a tool result, as the SDK's `McpServer` sends whatever its tools and its own checks throw. */
  readonly isWrapped: boolean
}

/** What the SDK puts before the words of its errors, once for each time that one was thrown. */
const envelope = /^(?:MCP error (-?\d{1,15}): )(?:MCP error -?\d{1,15}: )*/

export function withoutEnvelope(message: string): string {
  return message.replace(envelope, '')
}

/** The error that a result stands for; null when the result is the tool's own. */
export function wrappedError({ isError, content, structuredContent }: CallToolResult): ServerError | null {
  const [block, ...others] = content
  if (isError !== true || structuredContent !== undefined || block?.type !== 'text' || others.length > 0) return null
  const code = envelope.exec(block.text)?.[1]
  return code === undefined ? null : { code: Number(code), message: withoutEnvelope(block.text), isWrapped: true }
}

/** What an error is about: the server and what is behind it, the tool that was named, or the arguments that it got. */
type Subject = 'server' | 'tool' | 'arguments'

/** The codes of JSON-RPC and of MCP; every other one is the application's, and a refusal. */
const subjects: ReadonlyMap<number, Subject> = new Map([
  [ErrorCode.ParseError, 'server'],
  [ErrorCode.InvalidRequest, 'server'],
  [ErrorCode.InternalError, 'server'],
  [ErrorCode.ConnectionClosed, 'server'],
  [ErrorCode.RequestTimeout, 'server'],
  // It asks the client for what a world does not offer, so that no policy can ever do as it says.
  [ErrorCode.UrlElicitationRequired, 'server'],
  [ErrorCode.MethodNotFound, 'tool'],
  [ErrorCode.InvalidParams, 'arguments'],
])

/** Whether an error speaks of what was asked for, which the server may not have any more. */
export function doubtsCall({ code }: ServerError): boolean {
  const subject = subjects.get(code)
  return subject === 'tool' || subject === 'arguments'
}

/** A call whose arguments passed the check before sending. */
export interface CheckedCall {
  /** The world's name of the tool. */
  readonly name: string
  readonly tool: CatalogTool
  readonly args: JsonObject
}

/** A call that the server answered with an error. */
export interface RefusedCall extends CheckedCall {
  readonly error: ServerError
  /** The world's names of the tools that the server lists after the call. */
  readonly known: readonly string[]
  /** Whether the server sends errors of its tools and of its checks as results. */
  wrapsErrors(): Promise<boolean>
}

/** Whose fault a server's error is, by its code and by what was agreed on before the call. */
export async function refusedResult(call: RefusedCall): Promise<ToolResult> {
  const { name, error, known } = call
  const subject = subjects.get(error.code)
  if (subject === undefined)
    return refusal(`${name} was refused: ${error.message}`, `mcp_error_${Math.abs(error.code)}`)
  if (subject !== 'server' && !known.includes(name)) return unknownTool(name, known)
  if (subject === 'arguments' && (await canMeanArguments(call))) {
    return invalidArguments(name, [{ path: '', message: error.message }])
  }
  return toolFault(name, error.message)
}

/**
 * Servers send one code for arguments and for results that break a schema. Of arguments that keep the published schema it
 * can only speak where nothing was promised about results.
 */
async function canMeanArguments({ tool, args, error, wrapsErrors }: RefusedCall): Promise<boolean> {
  if (!keepsInputSchema(tool, args)) return true
  if (tool.promisesOutput) return false
  return error.isWrapped || !(await wrapsErrors())
}
