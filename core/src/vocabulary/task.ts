import { z } from 'zod'
import type { Row } from './database.ts'
import { type Json, type JsonObject, jsonObjectSchema, jsonSchema } from './json.ts'
import type { StateDiff } from './state-diff.ts'
import type { ToolResult } from './tool.ts'

export interface ToolCall {
  readonly tool: string
  readonly arguments: JsonObject
}

/** What a verifier plugin stored for one task. `kind` names which plugin reads it; the rest is that plugin's own. */
export interface StoredVerifier {
  readonly kind: string
  readonly [field: string]: Json
}

/** One instruction that an agent must carry out in one environment. */
export interface Task {
  /** Unique over all environments of a run: `<environmentId>/<local id>`. */
  readonly id: string
  readonly environmentId: string
  /** What a user would say; names no tool, no table, no id. */
  readonly instruction: string
  /** What kind of goal it is, in the words of the plugin that wrote it. */
  readonly kind: string
  /** 0 (easy) to 1 (hard). */
  readonly difficulty: number
  readonly gold: {
    /** A reference solution. Another path to the same state and answer passes as well. */
    readonly calls: readonly ToolCall[]
    /** The expected final answer, or null when the task asks no question. */
    readonly answer: Json
  }
  /** Which guideline of a curriculum it answers to, if any. */
  readonly guidelines: readonly string[]
}

/** A reference solution carried out on a fresh instance. */
export interface GoldRun {
  readonly calls: readonly { readonly call: ToolCall; readonly result: ToolResult; readonly diff: StateDiff }[]
  /** Initial state to final state. */
  readonly diff: StateDiff
  readonly answer: Json
  /** True when every call succeeded. */
  readonly succeeded: boolean
}

/** Rows that a read-only query of a world returned. */
export type QueryRows = readonly Row[]

const toolCallSchema: z.ZodType<ToolCall> = z.strictObject({
  tool: z.string().min(1),
  arguments: jsonObjectSchema,
})

export const storedVerifierSchema: z.ZodType<StoredVerifier> = z
  .object({ kind: z.string().min(1) })
  .catchall(jsonSchema) as unknown as z.ZodType<StoredVerifier>

/** The fields of a task, for schemas that hold more than a task. */
export const taskFields = {
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*\/[A-Za-z0-9_-]+$/, '<environment id>/<local id>'),
  environmentId: z.string().min(1),
  instruction: z.string().min(1),
  kind: z.string().min(1),
  difficulty: z.number().min(0).max(1),
  gold: z.strictObject({ calls: z.array(toolCallSchema), answer: jsonSchema }),
  guidelines: z.array(z.string()),
} as const

export const taskSchema: z.ZodType<Task> = z.strictObject(taskFields)
