import { z } from 'zod'
import { type DatabaseDraft, databaseDraftSchema } from './database.ts'
import { type Json, jsonSchema } from './json.ts'
import { type Scenario, scenarioSchema } from './scenario.ts'
import { type StoredVerifier, storedVerifierSchema, type Task, taskSchema } from './task.ts'
import { type Tool, toolSchema } from './tool.ts'

/** Who made a part of an environment and what it took. */
export interface StageProvenance {
  readonly stage: string
  /** `name@version` of each plugin that took part, in call order. */
  readonly plugins: readonly string[]
  /** How often the stage ran before its result was accepted; 1 = at once. */
  readonly attempts: number
  /** Money spent on models, in US dollars. */
  readonly costUsd: number
}

/** The whole of one environment as data: what a bundle on disk holds and what a world is opened from. */
export interface Environment {
  /** Equals its scenario's id. */
  readonly id: string
  readonly scenario: Scenario
  /** Seed that every plugin's random stream for this environment descends from. */
  readonly seed: number
  readonly database: DatabaseDraft
  readonly tools: readonly Tool[]
  readonly tasks: readonly Task[]
  /** By task id. */
  readonly verifiers: Readonly<Record<string, StoredVerifier>>
  /** Source text of script tools and script verifiers, by path inside the bundle (`tools/x.ts`, `verifiers/y.ts`). */
  readonly scripts: Readonly<Record<string, string>>
  /** Workspace documents by path inside `files/`. */
  readonly files: Readonly<Record<string, string>>
  readonly provenance: readonly StageProvenance[]
}

export const provenanceSchema: z.ZodType<StageProvenance> = z.strictObject({
  stage: z.string(),
  plugins: z.array(z.string()),
  attempts: z.int().min(1),
  costUsd: z.number().min(0),
})

export const environmentSchema: z.ZodType<Environment> = z.strictObject({
  id: z.string().min(1),
  scenario: scenarioSchema,
  seed: z.int(),
  database: databaseDraftSchema,
  tools: z.array(toolSchema),
  tasks: z.array(taskSchema),
  verifiers: z.record(z.string(), storedVerifierSchema),
  scripts: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.string()),
  provenance: z.array(provenanceSchema),
})

/** Names that belong to the control side or to MCP; a tool may not take them. Anything starting with `__` is refused too. */
export const reservedToolNames: ReadonlySet<string> = new Set([
  'reset',
  'step',
  'state',
  'close',
  'verify',
  'done',
  'mcp',
  'list_tools',
  'call_tool',
])

/** Plugin-private notes, by plugin name. */
export type Annotations = Readonly<Record<string, Json>>

export const annotationsSchema: z.ZodType<Annotations> = z.record(z.string(), jsonSchema)
