import { messageOf } from '../../errors/rlenv-error.ts'
import type { ArgumentViolation, ToolError, ToolResult } from '../../vocabulary/tool.ts'
import { OutgrownState } from '../instance/outgrown-state.ts'

/** A failed result. */
export function failed(error: ToolError): ToolResult {
  return { ok: false, error }
}

/** A name that a caller made up, at a length that a message can bear. */
export function shownName(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name
}

export function unknownTool(name: string, known: readonly string[]): ToolResult {
  const message = `unknown tool "${shownName(name)}"; the tools are ${known.join(', ')}`
  return failed({ kind: 'unknown_tool', code: 'unknown_tool', message })
}

export function invalidArguments(tool: string, violations: readonly ArgumentViolation[]): ToolResult {
  const listed = violations.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ')
  const message = `invalid arguments for ${tool}: ${listed}`
  return failed({ kind: 'invalid_arguments', code: 'invalid_arguments', message, violations })
}

export function environmentFault(tool: string, message: string): ToolResult {
  return failed({ kind: 'environment_fault', code: 'environment_fault', message: `${tool} failed: ${message}` })
}

/** Codes of SQLite that the world's own storage is to blame for; everything else, a caller can bring about. */
const storageCode =
  /^SQLITE_(?:FULL|IOERR|NOMEM|CORRUPT|CANTOPEN|NOTADB|INTERNAL|MISUSE|BUSY|LOCKED|PROTOCOL|READONLY|AUTH)/

/**
 * What a thrown value means to the caller. A statement that was prepared and then fails does so because of the values
 * it got: constraints, types, malformed JSON. That is the caller's error, so that no policy can earn a fault.
 */
export function failureOf(tool: string, thrown: unknown): ToolResult {
  if (thrown instanceof OutgrownState)
    return failed({ kind: 'business_rejection', code: 'state_too_large', message: `${tool}: ${thrown.message}` })
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (!code.startsWith('SQLITE_') || storageCode.test(code)) return environmentFault(tool, messageOf(thrown))
  const own = code.startsWith('SQLITE_CONSTRAINT') ? 'constraint_violation' : 'statement_failed'
  return failed({ kind: 'business_rejection', code: own, message: `${tool} was refused: ${messageOf(thrown)}` })
}
