import { z } from 'zod'
import { type Json, type JsonSchema, jsonObjectSchema } from './json.ts'

/** The error a tool reports when a step finds what its caller may not do. `{name}` placeholders take argument values. */
export interface ToolErrorTemplate {
  /** snake_case, for example "order_not_found". */
  readonly code: string
  /** One sentence for the caller. */
  readonly message: string
}

/**
 * One step of a declarative tool. Every `sql` is a single statement with `@name` parameters: arguments by their name (an
 * argument left out binds NULL), columns of an earlier `row` step as `@<as>__<column>`, and `@rowid` = the row id of the
 * last INSERT; NULL when it inserted nothing, and left as it was by upserts and by tables without row ids. The tool's
 * result is the last step's.
 */
export type SqlStep =
  /** Fails with `error` unless at least one of these arguments was given. */
  | { readonly kind: 'require'; readonly anyOf: readonly string[]; readonly error: ToolErrorTemplate }
  /** Exactly one row, or `error`. Result: the row as an object. */
  | {
      readonly kind: 'row'
      readonly sql: string
      readonly error: ToolErrorTemplate
      readonly as?: string
      readonly when?: string
    }
  /** Any number of rows up to `limit`. Result: an array of rows; what was cut off is announced. */
  | { readonly kind: 'rows'; readonly sql: string; readonly limit?: number; readonly when?: string }
  /** One write. With `error`, changing no row is that error. Result: `{ changes }`. `when` skips it unless that argument was given. */
  | { readonly kind: 'run'; readonly sql: string; readonly error?: ToolErrorTemplate; readonly when?: string }

/**
 * SQL that the caller writes: one query on the present state, taken from an argument. It reads ordinary tables and views and
 * nothing else: no recursion, no full-text or other virtual table, no table-valued function, no parameter. Rows have no row
 * id, unless a column is one. A text that may not run is refused with the code `invalid_query`, a query that reaches a bound
 * with `query_too_large` or `query_timeout`; the caller may try another.
 */
export interface QueryImplementation {
  readonly kind: 'query'
  /** Name of the argument that holds the SQL: a required text, at most 4,000 characters long where its schema states no bound. */
  readonly argument: string
  /** Rows that are shown at most; what was cut off is announced. Default 200. */
  readonly limit?: number
  /** How many rows of tables a query may look at, which is the same on every machine. Default 100,000. */
  readonly visits?: number
  /** Milliseconds that a query may take, for what counting rows does not bound. Default 1,000. */
  readonly deadlineMs?: number
}

export type ToolImplementation =
  | { readonly kind: 'sql'; readonly steps: readonly SqlStep[] }
  /** A TypeScript file of the bundle, `tools/*.ts`, default-exporting a function of (db, args, world). */
  | { readonly kind: 'script'; readonly file: string }
  | QueryImplementation
  /** Nothing that could be run here: only the world that the environment belongs to can carry it out. */
  | { readonly kind: 'world' }

/** One operation of an environment. */
export interface Tool {
  /** snake_case or camelCase, unique in its environment, never a reserved name. */
  readonly name: string
  /** At most 80 characters. */
  readonly summary: string
  /** At most 200 characters. */
  readonly description: string
  /**
   * An object schema; unknown arguments are refused unless it says otherwise. Where it states no bound, a text has at most
   * 10,000 UTF-16 units, a list at most 1,000 items, and an object at most 1,000 properties besides the declared ones.
   */
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly effect: 'read' | 'write'
  /** Tables it may touch. */
  readonly tables: readonly string[]
  /** The business errors it may report. */
  readonly errors: readonly ToolErrorTemplate[]
  readonly implementation: ToolImplementation
}

/** Why a call did not do what was asked. Decided where it happened, never by words in a message. */
export type ToolErrorKind =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'business_rejection'
  | 'environment_fault'
  | 'timeout'

/** One thing wrong with the arguments of a call. */
export interface ArgumentViolation {
  /** JSON pointer into the arguments, "" for the whole. */
  readonly path: string
  readonly message: string
}

export interface ToolError {
  readonly kind: ToolErrorKind
  /** The tool's own code for a business rejection, otherwise the kind. */
  readonly code: string
  readonly message: string
  readonly violations?: readonly ArgumentViolation[]
}

export type ToolResult =
  /** `notice` tells the caller what `content` does not hold, for example rows beyond a limit. */
  | { readonly ok: true; readonly content: Json; readonly notice?: string }
  | { readonly ok: false; readonly error: ToolError }

/** A tool as a policy or an MCP client sees it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** True when calling it never changes the world; MCP's `readOnlyHint`. */
  readonly readOnly: boolean
}

const errorTemplateSchema: z.ZodType<ToolErrorTemplate> = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]*$/, 'snake_case'),
  message: z.string().min(1),
})

const sqlStepSchema: z.ZodType<SqlStep> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('require'), anyOf: z.array(z.string()).min(1), error: errorTemplateSchema }),
  z.strictObject({
    kind: z.literal('row'),
    sql: z.string().min(1),
    error: errorTemplateSchema,
    as: z.exactOptional(z.string()),
    when: z.exactOptional(z.string()),
  }),
  z.strictObject({
    kind: z.literal('rows'),
    sql: z.string().min(1),
    limit: z.exactOptional(z.int().min(1)),
    when: z.exactOptional(z.string()),
  }),
  z.strictObject({
    kind: z.literal('run'),
    sql: z.string().min(1),
    error: z.exactOptional(errorTemplateSchema),
    when: z.exactOptional(z.string()),
  }),
])

export const toolSchema: z.ZodType<Tool> = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a letter, then letters, digits, _ or -, at most 64'),
  summary: z.string().min(1).max(80),
  description: z.string().min(1).max(200),
  inputSchema: jsonObjectSchema,
  outputSchema: jsonObjectSchema,
  effect: z.enum(['read', 'write']),
  tables: z.array(z.string()),
  errors: z.array(errorTemplateSchema),
  implementation: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('sql'), steps: z.array(sqlStepSchema).min(1) }),
    z.strictObject({ kind: z.literal('script'), file: z.string().regex(/^tools\/[A-Za-z0-9_-]+\.ts$/) }),
    z.strictObject({
      kind: z.literal('query'),
      argument: z.string().min(1),
      limit: z.exactOptional(z.int().min(1)),
      visits: z.exactOptional(z.int().min(1)),
      deadlineMs: z.exactOptional(z.int().min(1)),
    }),
    z.strictObject({ kind: z.literal('world') }),
  ]),
})
