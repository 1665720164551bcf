import { freezeData } from '../determinism/freeze-data.ts'
import type { Toolset } from '../hooks/contexts.ts'
import type { DraftWorld } from '../hooks/world.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { Json } from '../vocabulary/json.ts'
import type { GoldRun, ToolCall } from '../vocabulary/task.ts'
import type { ExecutableEnvironment } from './executable-environment.ts'
import { loadParts } from './load-environment.ts'
import { runGold } from './run-gold.ts'

export interface DraftParts {
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  /** Seed of every instance that is opened. */
  readonly seed: number
}

interface KnownRun {
  readonly seed: number
  readonly answer: Json
  readonly run: GoldRun
}

/** Runs of frozen calls: equal calls in equal worlds come to the same, and one stage's are the next one's. */
const runs = new WeakMap<ExecutableEnvironment, WeakMap<readonly ToolCall[], KnownRun>>()

/**
 * A world from the parts of an environment that is still being made. Calls that are frozen are carried out once.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID
 */
export function draftWorld({ database, toolset, seed }: DraftParts): DraftWorld {
  const executable = loadParts({ database, tools: toolset.tools, scripts: toolset.scripts })
  const known = runs.get(executable) ?? new WeakMap<readonly ToolCall[], KnownRun>()
  runs.set(executable, known)
  return {
    open: () => executable.open({ seed }),
    run(calls, answer) {
      const before = known.get(calls)
      if (before?.seed === seed && before.answer === answer) return before.run
      const run = runGold(executable, calls, answer, seed)
      if (Object.isFrozen(calls)) known.set(calls, { seed, answer, run: freezeData(run) })
      return run
    },
  }
}
