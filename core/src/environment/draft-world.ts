import type { Toolset } from '../hooks/contexts.ts'
import type { DraftWorld } from '../hooks/world.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import { loadParts } from './load-environment.ts'
import { runGold } from './run-gold.ts'

export interface DraftParts {
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  /** Seed of every instance that is opened. */
  readonly seed: number
}

/**
 * A world from the parts of an environment that is still being made.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function draftWorld({ database, toolset, seed }: DraftParts): DraftWorld {
  const executable = loadParts({ database, tools: toolset.tools, scripts: toolset.scripts })
  return {
    open: () => executable.open({ seed }),
    run: (calls, answer) => runGold(executable, calls, answer, seed),
  }
}
