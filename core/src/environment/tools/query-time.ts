import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Tool } from '../../vocabulary/tool.ts'
import { defaultDeadlineMs } from './compile-query-tool.ts'

/** How many times its deadline a query must have: what it does when its time is up takes some as well. */
const leastShare = 2

function deadlineOf({ implementation }: Tool): number | null {
  return implementation.kind === 'query' ? (implementation.deadlineMs ?? defaultDeadlineMs) : null
}

/**
 * Looks whether every query ends long before its call would. A call that does not end in time is the environment's
 * failure, and costs the process that holds its world: with a query of its own a policy could bring both about.
 *
 * @param toolTimeoutMs - milliseconds that one call may take.
 * @throws {RlenvError} RLENV_CONFIG_INVALID for a tool whose queries may take too long.
 */
export function assertTimeForQueries(environments: Iterable<Environment>, toolTimeoutMs: number): void {
  for (const { id, tools } of environments) {
    for (const tool of tools) {
      const deadlineMs = deadlineOf(tool)
      if (deadlineMs === null || leastShare * deadlineMs <= toolTimeoutMs) continue
      throw new RlenvError(
        `a query of the tool ${tool.name} of ${id} may take ${deadlineMs} ms, more than half of the ${toolTimeoutMs} ms that a call has`,
        {
          code: 'RLENV_CONFIG_INVALID',
          fix: `Set rollout.toolTimeoutMs to ${leastShare * deadlineMs} or more, or give the tool a shorter deadlineMs.`,
        },
      )
    }
  }
}
