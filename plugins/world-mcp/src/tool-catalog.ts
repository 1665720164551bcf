import {
  ArgumentValidator,
  type Json,
  type JsonObject,
  type JsonSchema,
  outputViolations,
  PolicyNames,
  RlenvError,
  reservedToolNames,
  type ToolDefinition,
  type ValidatedArguments,
} from 'rlenv'
import { z } from 'zod'

/** A tool as a server lists it. Read leniently: a description that is missing costs nothing, a whole list would. */
export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema | undefined
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined
}

const objectSchema = z.record(z.string(), z.json())

export const toolPageSchema = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string().min(1),
      title: z.string().optional().catch(undefined),
      description: z.string().optional().catch(undefined),
      inputSchema: objectSchema.optional().catch(undefined),
      outputSchema: objectSchema.optional().catch(undefined),
      annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional().catch(undefined),
      execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
    }),
  ),
  nextCursor: z.string().optional(),
})

/** A tool of a server as a world offers it. */
export interface CatalogTool {
  /** What the server calls it. */
  readonly serverName: string
  readonly definition: ToolDefinition
  /** What results are held to; null without one, or when it is beyond what can be checked here. */
  readonly outputSchema: JsonSchema | null
  /** Whether the server publishes an output schema, checked here or not. */
  readonly promisesOutput: boolean
  /** Null when its schema is beyond what can be checked here: then the server alone checks. */
  readonly validator: ArgumentValidator | null
}

/**
 * A server's list of tools with the way from their names to those that a policy sees and back. Names that chat APIs or
 * the control side would not take are changed; each depends on its own original alone.
 */
export class ToolCatalog {
  readonly definitions: readonly ToolDefinition[]
  /** For the log: which tools are left out, whose arguments are not checked here, and why. */
  readonly remarks: readonly string[]
  readonly #tools = new Map<string, CatalogTool>()
  readonly #names = new Map<string, string>()

  /**
   * @param offered - the server's names of the tools to offer; null = all.
   * @throws {RlenvError} RLENV_TOOL_INVALID when two tools would have one name, or an offered one is not there.
   */
  constructor(listed: readonly ListedTool[], offered: readonly string[] | null) {
    const remarks: string[] = []
    const kept = offered === null ? listed : offered.map((name) => named(listed, name))
    const callable = kept.filter((tool) => isCallable(tool, remarks))
    const names = worldNames(callable.map(({ name }) => name))
    for (const tool of callable) {
      const name = names.get(tool.name) ?? tool.name
      const made = catalogTool(tool, name, remarks)
      this.#tools.set(name, made)
      this.#names.set(tool.name, name)
    }
    this.definitions = [...this.#tools.values()].map(({ definition }) => definition)
    this.remarks = remarks
  }

  tool(worldName: string): CatalogTool | undefined {
    return this.#tools.get(worldName)
  }

  get tools(): readonly CatalogTool[] {
    return [...this.#tools.values()]
  }

  /** The name in the world of a tool that is given by that name or by the server's. */
  worldName(name: string): string | undefined {
    return this.#names.get(name) ?? (this.#tools.has(name) ? name : undefined)
  }

  /** What the server gets, or what is wrong. */
  static validate({ validator }: CatalogTool, args: Json): ValidatedArguments {
    if (validator !== null) return validator.validate(args)
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
    if (isObject) return { ok: true, value: args as JsonObject }
    return { ok: false, violations: [{ path: '', message: 'must be an object' }] }
  }
}

function named(listed: readonly ListedTool[], name: string): ListedTool {
  const found = listed.find((tool) => tool.name === name)
  if (found !== undefined) return found
  throw new RlenvError(`the server has no tool "${name}"; it has ${listed.map((tool) => tool.name).join(', ')}`, {
    code: 'RLENV_TOOL_INVALID',
    fix: 'Correct "tools" of the server.',
  })
}

/** A tool that only runs as a task of MCP answers no plain call. */
function isCallable({ name, execution }: ListedTool, remarks: string[]): boolean {
  if (execution?.taskSupport !== 'required') return true
  remarks.push(`${name} is left out, for it runs as a task only`)
  return false
}

/** Control names belong to rlenv, and a tool's name begins with a letter. */
const isFree = (name: string) => /^[A-Za-z]/.test(name) && !reservedToolNames.has(name)

function worldNames(serverNames: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  for (const name of serverNames) {
    const free = isFree(name) ? name : `tool_${name}`
    const taken = first.get(free)
    if (taken !== undefined) {
      throw new RlenvError(`the server's tools "${taken}" and "${name}" would both be called "${free}"`, {
        code: 'RLENV_TOOL_INVALID',
        fix: 'Leave one of them out with "tools" of the server.',
      })
    }
    first.set(free, name)
  }
  const policy = new PolicyNames(first.keys())
  return new Map([...first].map(([free, name]) => [name, policy.policyName(free) ?? free]))
}

function catalogTool(tool: ListedTool, name: string, remarks: string[]): CatalogTool {
  const inputSchema = parameters(tool.inputSchema)
  const description = tool.description ?? tool.title ?? tool.name
  const definition = { name, description, inputSchema, readOnly: tool.annotations?.readOnlyHint === true }
  const outputSchema = tool.outputSchema === undefined ? null : withoutDialect(tool.outputSchema)
  return {
    serverName: tool.name,
    definition,
    outputSchema: outputSchema !== null && isCheckable(outputSchema) ? outputSchema : null,
    promisesOutput: outputSchema !== null,
    validator: validatorOf(tool.name, inputSchema, remarks),
  }
}

/** Strict clients want an object with properties, also from a tool without arguments. */
function parameters(schema: JsonSchema | undefined): JsonSchema {
  return { type: 'object', properties: {}, ...withoutDialect(schema ?? {}) }
}

/** Which draft a schema is written in says nothing to a policy, and validators refuse drafts that they do not know. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema as JsonSchema
}

function validatorOf(name: string, schema: JsonSchema, remarks: string[]): ArgumentValidator | null {
  try {
    return new ArgumentValidator(schema)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    remarks.push(`arguments of ${name} are checked by the server alone: ${why}`)
    return null
  }
}

function isCheckable(schema: JsonSchema): boolean {
  try {
    outputViolations(schema, null)
    return true
  } catch {
    return false
  }
}
