import { messageOf, RlenvError } from '../../errors/rlenv-error.ts'
import { reservedToolNames } from '../../vocabulary/environment.ts'
import type { Tool, ToolDefinition } from '../../vocabulary/tool.ts'
import type { StatementRegistry } from '../sqlite/statement-registry.ts'
import { ArgumentValidator, argumentSchema } from './argument-validator.ts'
import { callableSchema } from './callable-schema.ts'
import { compileQueryTool } from './compile-query-tool.ts'
import { type Compilation, compileSqlTool } from './compile-sql-tool.ts'
import { worldBounds } from './open-values.ts'
import type { QueryProgram } from './query-tool.ts'
import type { SqlProgram } from './sql-tool.ts'

export interface ScriptProgram {
  readonly kind: 'script'
  /** Path of the source inside the bundle. */
  readonly file: string
}

/** What carries a tool out. */
export type ToolProgram = SqlProgram | ScriptProgram | QueryProgram

/** A tool ready to be called. */
export interface CompiledTool {
  readonly tool: Tool
  readonly validator: ArgumentValidator
  readonly program: ToolProgram
}

export interface CompiledToolset {
  readonly tools: ReadonlyMap<string, CompiledTool>
  /** What policies and clients see; one list for all instances. */
  readonly definitions: readonly ToolDefinition[]
}

function definitionOf(tool: Tool): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: argumentSchema(callableSchema(tool)),
    readOnly: tool.effect === 'read',
  }
}

function nameFaults(tool: Tool, earlier: ReadonlySet<string>): string[] {
  const faults: string[] = []
  if (reservedToolNames.has(tool.name) || tool.name.startsWith('__')) faults.push('has a reserved name')
  if (earlier.has(tool.name)) faults.push('has the name of another tool')
  return faults
}

function compileTool(
  tool: Tool,
  registry: StatementRegistry,
  scripts: Readonly<Record<string, string>>,
): CompiledTool | string[] {
  let validator: ArgumentValidator
  try {
    validator = new ArgumentValidator(callableSchema(tool), worldBounds)
  } catch (thrown) {
    return [`input schema: ${messageOf(thrown)}`]
  }
  const compilation = compileProgram(tool, registry, scripts)
  return compilation.ok ? { tool, validator, program: compilation.program } : [...compilation.faults]
}

function compileProgram(
  tool: Tool,
  registry: StatementRegistry,
  scripts: Readonly<Record<string, string>>,
): Compilation<ToolProgram> {
  const { implementation } = tool
  switch (implementation.kind) {
    case 'sql':
      return compileSqlTool(tool, implementation.steps, registry)
    case 'query':
      return compileQueryTool(tool, implementation)
    case 'script': {
      const { file } = implementation
      if (scripts[file] === undefined) return { ok: false, faults: [`there is no script ${file}`] }
      return { ok: true, program: { kind: 'script', file } }
    }
    case 'world':
      return { ok: false, faults: ['only the world that it belongs to can carry it out'] }
  }
}

/**
 * Compiles an environment's tools against its database, once for all instances.
 *
 * @throws {RlenvError} RLENV_TOOL_INVALID naming every tool and statement that cannot run or may not.
 */
export function compileToolset(
  tools: readonly Tool[],
  registry: StatementRegistry,
  scripts: Readonly<Record<string, string>>,
): CompiledToolset {
  const compiled = new Map<string, CompiledTool>()
  const faults: string[] = []
  const names = new Set<string>()
  for (const tool of tools) {
    const result = compileTool(tool, registry, scripts)
    const own = [...nameFaults(tool, names), ...(Array.isArray(result) ? result : [])]
    faults.push(...own.map((fault) => `${tool.name}: ${fault}`))
    names.add(tool.name)
    if (!Array.isArray(result)) compiled.set(tool.name, result)
  }
  if (faults.length > 0) {
    const listed = faults.map((fault) => `\n  - ${fault}`).join('')
    throw new RlenvError(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in the tools:${listed}`, {
      code: 'RLENV_TOOL_INVALID',
      fix: 'Correct the named tools.',
    })
  }
  return { tools: compiled, definitions: tools.map(definitionOf) }
}
