import type { ExecutableEnvironment, ExecutableParts } from '../../environment/executable-environment.ts'
import { loadParts } from '../../environment/load-environment.ts'
import { compileToolset } from '../../environment/tools/compile-toolset.ts'
import { isRlenvError } from '../../errors/rlenv-error.ts'
import { reservedToolNames } from '../../vocabulary/environment.ts'
import type { Tool } from '../../vocabulary/tool.ts'
import { finding, type GateFinding, statusOf, type ToolReport } from './gate-report.ts'

/** An environment with those of its tools that compile, and what is wrong with the others. */
export interface CompiledTools {
  readonly executable: ExecutableEnvironment
  readonly tools: readonly Tool[]
  readonly refused: readonly ToolReport[]
}

/**
 * Loads an environment; tools that cannot be loaded are refused one by one instead of all together.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID
 */
export function compileTools(parts: ExecutableParts): CompiledTools {
  try {
    return { executable: loadParts(parts), tools: parts.tools, refused: [] }
  } catch (thrown) {
    if (!isRlenvError(thrown) || thrown.code !== 'RLENV_TOOL_INVALID') throw thrown
  }
  const { registry } = loadParts({ ...parts, tools: [] })
  const names = new Set<string>()
  const checked = parts.tools.map((tool) => {
    const findings = names.has(tool.name)
      ? [finding('tool_refused', 'another tool has the same name')]
      : loneFindings(tool, () => compileToolset([tool], registry, parts.scripts))
    names.add(tool.name)
    return { tool, findings }
  })
  const tools = checked.flatMap(({ tool, findings }) => (findings.length === 0 ? [tool] : []))
  const refused = checked.flatMap(({ tool, findings }): ToolReport[] => {
    if (findings.length === 0) return []
    return [{ name: tool.name, status: statusOf(findings), findings, calls: 0, succeeded: 0 }]
  })
  return { executable: loadParts({ ...parts, tools }), tools, refused }
}

function loneFindings(tool: Tool, compile: () => unknown): readonly GateFinding[] {
  if (reservedToolNames.has(tool.name) || tool.name.startsWith('__')) {
    return [finding('tool_reserved_name', `"${tool.name}" is a name that the control side keeps for itself`)]
  }
  try {
    compile()
    return []
  } catch (thrown) {
    if (!isRlenvError(thrown)) throw thrown
    return faultsIn(thrown.message, tool).map((fault) => finding('tool_refused', fault))
  }
}

/** The faults that the message lists, one a line, without the tool's name before each. */
function faultsIn(message: string, { name }: Tool): readonly string[] {
  const [, ...faults] = message.split('\n  - ')
  return faults.length === 0 ? [message] : faults.map((fault) => fault.replace(`${name}: `, ''))
}
