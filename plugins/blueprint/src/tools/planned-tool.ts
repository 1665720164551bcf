import type { JsonSchema, SqlStep, Tool, ToolErrorTemplate } from 'rlenv'
import type { FieldPlan } from '../plan/application-plan.ts'

/** What a tool is for, so that tasks can be planned with it. */
export type ToolRole =
  /** Finds rows of its entity by label; `argument` carries the label. */
  | { readonly kind: 'lookup'; readonly argument: string; readonly brief: boolean }
  | { readonly kind: 'get' }
  /** Lists rows of its entity that belong to a row of `parent`. */
  | { readonly kind: 'children'; readonly parent: string; readonly argument: string; readonly status: string | null }
  /** `act` is the position among the entity's acts. */
  | { readonly kind: 'act'; readonly act: number; readonly arguments: readonly string[] }
  | { readonly kind: 'create' }
  /** Changes the given fields, each by an argument of its name. */
  | { readonly kind: 'update'; readonly fields: readonly FieldPlan[] }
  /** Changes one of the given fields, named by `field`, to the text `value`. */
  | { readonly kind: 'update-field'; readonly fields: readonly FieldPlan[] }
  | { readonly kind: 'delete' }

export interface PlannedTool {
  readonly tool: Tool
  readonly role: ToolRole
  /** Key of the entity it is about. */
  readonly entity: string
  /** When an environment has too many tools, those with a low rank are the likeliest to be left out. */
  readonly rank: number
}

/** A tool before its name, words and errors are put together. */
export interface ToolParts {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly effect: Tool['effect']
  readonly tables: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly output: JsonSchema
  readonly steps: readonly SqlStep[]
}

export function toolOf(parts: ToolParts): Tool {
  return {
    name: parts.name,
    summary: parts.summary,
    description: parts.description,
    inputSchema: {
      type: 'object',
      properties: parts.properties,
      required: parts.required,
      additionalProperties: false,
    },
    outputSchema: parts.output,
    effect: parts.effect,
    tables: [...new Set(parts.tables)],
    errors: errorsOf(parts.steps),
    implementation: { kind: 'sql', steps: parts.steps },
  }
}

function errorsOf(steps: readonly SqlStep[]): readonly ToolErrorTemplate[] {
  const errors = new Map<string, ToolErrorTemplate>()
  for (const step of steps) {
    if ('error' in step && step.error !== undefined) errors.set(step.error.code, step.error)
  }
  return [...errors.values()]
}
