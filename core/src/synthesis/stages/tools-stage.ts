import { freezeData } from '../../determinism/freeze-data.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import { ArgumentPool } from '../../environment/tools/argument-pool.ts'
import type { Toolset } from '../../hooks/contexts.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { tryTool } from '../gate/check-tool.ts'
import { compileTools } from '../gate/compile-tools.ts'
import type { ToolReport } from '../gate/gate-report.ts'
import type { DroppedItem, Stage, StageResult, StageTry } from '../stage.ts'

/** Has the tools made, runs each statement in the real driver and calls each tool; those that do not work are left out. */
export const toolsStage: Stage = {
  name: 'tools',
  hook: 'toolGenerator',
  acceptedErrorShare: 0,
  repeats: true,
  settings: () => null,
  async run(draft, attempt) {
    const { pipeline, context } = attempt
    const nothing: Toolset = { tools: [], scripts: {} }
    const toolset = freezeData(await pipeline.chain('toolGenerator', nothing, { ...context, database: draft.database }))
    await sandboxFor(toolset.tools)
    return working(draft, toolset, attempt)
  },
}

function working(draft: Environment, toolset: Toolset, { context }: StageTry): StageResult {
  const { executable, tools, refused } = compileTools({ database: draft.database, ...toolset })
  const pool = new ArgumentPool(executable.initial)
  const random = context.random.fork('smoke calls')
  const called = tools.map((tool) => tryTool(tool, random.fork(tool.name), { executable, pool, known: [] }))
  const bad = [...refused, ...called.filter(({ status }) => status !== 'valid')]
  const names = new Set(bad.map(({ name }) => name))
  const kept = bad.length === 0 ? toolset.tools : toolset.tools.filter(({ name }) => !names.has(name))
  const dropped = bad.flatMap(droppedTool)
  return {
    part: { tools: kept, scripts: toolset.scripts },
    errors:
      toolset.tools.length === 0 ? ['there are no tools'] : dropped.map(({ item, message }) => `${item}: ${message}`),
    errorShare: toolset.tools.length === 0 ? 1 : bad.length / toolset.tools.length,
    usable: kept.length > 0,
    reason: kept.length > 0 ? null : 'no_tools',
    dropped,
  }
}

/** One item per tool, with its first finding as the reason. */
export function droppedTool({ name, status, findings }: ToolReport): DroppedItem[] {
  const [first] = findings
  return first === undefined || status === 'valid' ? [] : [{ item: name, reason: first.code, message: first.message }]
}
