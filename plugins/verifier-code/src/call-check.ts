import { canonicalJson, type Environment, type Json, type JsonObject, type Tool, type Trajectory } from 'rlenv'
import type { CallCheck } from './stored-checks.ts'

/** For each demanded call, whether the trajectory holds a successful one of its own like it. */
export function checkedCalls(
  checks: readonly CallCheck[],
  trajectory: Trajectory,
  environment: Environment,
): readonly boolean[] {
  if (checks.length === 0) return []
  const tools = new Map(environment.tools.map((tool) => [tool.name, tool]))
  const made: string[] = []
  for (const turn of trajectory.turns) {
    for (const { serverName, name, arguments: args, result } of turn.calls) {
      if (result.ok && isObject(args)) made.push(callText(serverName ?? name, args, tools))
    }
  }
  return checks.map((check) => {
    const at = made.indexOf(callText(check.tool, check.arguments, tools))
    if (at >= 0) made.splice(at, 1)
    return at >= 0
  })
}

function callText(tool: string, args: JsonObject, tools: ReadonlyMap<string, Tool>): string {
  return canonicalJson([tool, withDefaults(args, tools.get(tool))])
}

/** An argument left out, or null, counts as its default. */
function withDefaults(args: JsonObject, tool: Tool | undefined): JsonObject {
  const properties = tool?.inputSchema.properties
  const full: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    const byDefault = isObject(schema) ? schema.default : undefined
    if (byDefault !== undefined && byDefault !== null) full[name] = byDefault
  }
  for (const [name, value] of Object.entries(args)) if (value !== null) full[name] = value
  return full
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
