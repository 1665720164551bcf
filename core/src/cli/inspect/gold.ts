import { loadEnvironment } from '../../environment/load-environment.ts'
import { runGold } from '../../environment/run-gold.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { RowChange } from '../../vocabulary/state-diff.ts'
import type { GoldRun, Task } from '../../vocabulary/task.ts'

/** Plays a task's reference solution on a fresh instance. */
export async function inspectGold(environment: Environment, { gold }: Task): Promise<GoldRun> {
  await sandboxFor(environment.tools)
  return runGold(loadEnvironment(environment), gold.calls, gold.answer, environment.seed)
}

/** A gold run, step by step: each call, what it answered, the rows it changed. */
export function goldText(run: GoldRun): string {
  const steps = run.calls.map(({ call, result, diff }, index) => {
    const answer = result.ok ? JSON.stringify(result.content) : `error ${result.error.code}: ${result.error.message}`
    const head = `${index + 1}. ${call.tool} ${JSON.stringify(call.arguments)}`
    return [head, `   → ${shortened(answer)}`, ...diff.map((change) => `   ${changeText(change)}`)].join('\n')
  })
  return ['gold run:', ...steps, run.succeeded ? 'every call succeeded' : 'a call failed'].join('\n')
}

const mostCharacters = 300

function shortened(text: string): string {
  const rest = text.length - mostCharacters
  return rest <= 0 ? text : `${text.slice(0, mostCharacters)} … and ${rest} characters more`
}

/** A changed row as one line: + inserted, - deleted, ~ updated with the columns that differ. */
function changeText(change: RowChange): string {
  const key = JSON.stringify(change.key)
  if (change.kind === 'insert') return `+ ${change.table} ${JSON.stringify(change.after)}`
  if (change.kind === 'delete') return `- ${change.table} ${JSON.stringify(change.before)}`
  const columns = Object.keys(change.after).filter(
    (column) => JSON.stringify(change.before[column]) !== JSON.stringify(change.after[column]),
  )
  const changes = columns.map((column) => {
    return `${column} ${JSON.stringify(change.before[column])} → ${JSON.stringify(change.after[column])}`
  })
  return `~ ${change.table} ${key} ${changes.join(', ')}`
}
