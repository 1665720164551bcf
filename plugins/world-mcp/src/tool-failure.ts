import type { ArgumentViolation, ToolErrorKind, ToolResult } from 'rlenv'

function failure(kind: ToolErrorKind, message: string, code: string = kind): ToolResult & { readonly ok: false } {
  return { ok: false, error: { kind, code, message } }
}

export function unknownTool(name: string, known: readonly string[]): ToolResult {
  return failure('unknown_tool', `unknown tool "${name}"; the tools are ${known.join(', ')}`)
}

export function invalidArguments(tool: string, violations: readonly ArgumentViolation[]): ToolResult {
  const listed = violations.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ')
  const { error } = failure('invalid_arguments', `invalid arguments for ${tool}: ${listed}`)
  return { ok: false, error: { ...error, violations } }
}

export function refusal(message: string, code: string): ToolResult {
  return failure('business_rejection', message, code)
}

export function toolFault(tool: string, why: string): ToolResult {
  return failure('environment_fault', `${tool} failed: ${why}`)
}

export function timedOut(tool: string, ms: number): ToolResult {
  const advice = 'it may still take effect, so look before you call it again'
  return failure('timeout', `${tool} did not answer within ${ms} ms; ${advice}`)
}
