import { freezeData } from '../../determinism/freeze-data.ts'
import type { CallOutcome, WorldInstance } from '../../hooks/world.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { ToolDefinition, ToolResult } from '../../vocabulary/tool.ts'
import { ArgumentValidator } from './argument-validator.ts'
import { deepestArguments, isNestedDeeper } from './nesting.ts'
import { PolicyNames } from './policy-names.ts'
import { isObject } from './schema-references.ts'
import { invalidArguments, unknownTool } from './tool-failure.ts'

/** `direct` offers each tool, `meta` only `list_tools` and `call_tool`. */
export type ToolSurface = 'direct' | 'meta'

/** A call with what became of it. */
export interface RoutedCall {
  /** The world's own name of the tool; null when no tool was reached. */
  readonly serverName: string | null
  /** What the tool got; null when it was no JSON object or was nested too deeply. */
  readonly arguments: Json
  readonly outcome: CallOutcome
}

/** The tools of the meta surface. */
export const metaSurface: readonly ToolDefinition[] = [
  {
    name: 'list_tools',
    description: 'Lists the tools of this environment with their descriptions and input schemas.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    readOnly: true,
  },
  {
    name: 'call_tool',
    description: 'Calls one tool of this environment by its name.',
    inputSchema: {
      type: 'object',
      properties: {
        tool_name: { type: 'string', description: 'Name of the tool, as list_tools gives it.' },
        arguments: { type: 'object', description: 'Arguments of the tool, by name.' },
      },
      required: ['tool_name'],
      additionalProperties: false,
    },
    readOnly: false,
  },
]

interface DirectSurface {
  readonly names: PolicyNames
  readonly definitions: readonly ToolDefinition[]
  /** Content of list_tools' result. */
  readonly listing: Json
}

/** Instances of one environment share their list of tools, and with it its surface. */
const surfaces = new WeakMap<readonly ToolDefinition[], DirectSurface>()
const metaValidators = new Map(metaSurface.map(({ name, inputSchema }) => [name, new ArgumentValidator(inputSchema)]))

function surfaceOf(tools: readonly ToolDefinition[]): DirectSurface {
  const known = surfaces.get(tools)
  if (known !== undefined) return known
  const names = new PolicyNames(tools.map((tool) => tool.name))
  const definitions = tools.map((tool) => ({ ...tool, name: names.policyName(tool.name) ?? tool.name }))
  const listing = freezeData(
    definitions.map(({ name, description, inputSchema, readOnly }) => ({ name, description, inputSchema, readOnly })),
  )
  const surface: DirectSurface = { names, definitions, listing }
  surfaces.set(tools, surface)
  return surface
}

/** What a policy is offered in a world. */
export function surfaceTools(world: WorldInstance, surface: ToolSurface): readonly ToolDefinition[] {
  return surface === 'meta' ? metaSurface : surfaceOf(world.tools).definitions
}

/** Arguments as traces keep them. What is nested too deeply for any tool would be too deep to be written as well. */
function recorded(args: Json): Json {
  return isObject(args) && !isNestedDeeper(args, deepestArguments) ? args : null
}

function unreached(result: ToolResult, args: Json): RoutedCall {
  return { serverName: null, arguments: recorded(args), outcome: { result, diff: [] } }
}

function callWorld(
  world: WorldInstance,
  name: string,
  args: Json,
  signal: AbortSignal,
): RoutedCall | Promise<RoutedCall> {
  const { names, definitions } = surfaceOf(world.tools)
  const serverName = names.serverName(name)
  if (serverName === undefined)
    return unreached(
      unknownTool(
        name,
        definitions.map((tool) => tool.name),
      ),
      args,
    )
  const outcome = world.call(serverName, args, signal)
  const routed = (settled: CallOutcome): RoutedCall => {
    return { serverName, arguments: recorded(args), outcome: settled }
  }
  return outcome instanceof Promise ? outcome.then(routed) : routed(outcome)
}

function callMeta(
  world: WorldInstance,
  name: string,
  args: Json,
  signal: AbortSignal,
): RoutedCall | Promise<RoutedCall> {
  const validator = metaValidators.get(name)
  if (validator === undefined)
    return unreached(
      unknownTool(
        name,
        metaSurface.map((tool) => tool.name),
      ),
      args,
    )
  const validated = validator.validate(args)
  if (!validated.ok) return unreached(invalidArguments(name, validated.violations), args)
  if (name === 'list_tools') return unreached({ ok: true, content: surfaceOf(world.tools).listing }, validated.value)
  const { tool_name: tool, arguments: inner = {} } = validated.value
  return callWorld(world, String(tool), inner, signal)
}

/**
 * Routes a policy's call to its world. Both surfaces end in the same tool runner; names of the control side (`verify`,
 * `reset`, `done`) are unknown tools on either.
 */
export function routeCall(
  world: WorldInstance,
  surface: ToolSurface,
  name: string,
  args: Json,
  signal: AbortSignal,
): RoutedCall | Promise<RoutedCall> {
  return surface === 'meta' ? callMeta(world, name, args, signal) : callWorld(world, name, args, signal)
}
