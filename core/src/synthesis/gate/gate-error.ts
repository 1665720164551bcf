import type { ErrorCode } from '../../errors/error-codes.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import { oneLine } from '../one-line.ts'
import type { GateFinding, GateReport } from './gate-report.ts'

const mostLines = 20

interface Objection {
  readonly code: ErrorCode
  /** `tool lend_book (invalid)`. */
  readonly subject: string
  readonly finding: GateFinding
}

const fixes: Partial<Record<ErrorCode, string>> = {
  RLENV_DATABASE_INVALID: 'Correct the named statements and rows of the bundle, or synthesise it again.',
  RLENV_TOOL_INVALID: 'Correct or remove the named tools, or synthesise the environment again.',
  RLENV_TASK_INVALID: 'Correct or remove the named tasks, or synthesise the environment again.',
}

/** What a gate report comes to as an error: null for a valid environment, otherwise one that lists every objection. */
export function gateError(report: GateReport): RlenvError | null {
  const objections = [...ownObjections(report), ...toolObjections(report), ...taskObjections(report)]
  const [first] = objections
  if (first === undefined) return null
  const lines = objections.slice(0, mostLines).map(({ subject, finding }) => {
    return `\n  - ${subject} ${finding.code}: ${oneLine(finding.message)}`
  })
  const more = objections.length > mostLines ? `\n  - and ${objections.length - mostLines} more` : ''
  const fix = fixes[first.code]
  return new RlenvError(`environment ${report.environmentId} is ${report.status}:${lines.join('')}${more}`, {
    code: first.code,
    ...(fix === undefined ? {} : { fix }),
  })
}

function ownObjections({ findings, status }: GateReport): Objection[] {
  return findings.map((finding) => {
    const code = finding.code === 'database_invalid' ? 'RLENV_DATABASE_INVALID' : 'RLENV_TASK_INVALID'
    return { code, subject: `environment (${status})`, finding }
  })
}

function toolObjections({ tools }: GateReport): Objection[] {
  return tools.flatMap(({ name, status, findings }) => {
    if (status === 'valid') return []
    return findings.map(
      (finding): Objection => ({ code: 'RLENV_TOOL_INVALID', subject: `tool ${name} (${status})`, finding }),
    )
  })
}

function taskObjections({ tasks }: GateReport): Objection[] {
  return tasks.flatMap(({ id, status, findings }) => {
    return findings.map(
      (finding): Objection => ({ code: 'RLENV_TASK_INVALID', subject: `task ${id} (${status})`, finding }),
    )
  })
}
