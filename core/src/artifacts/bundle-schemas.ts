import { z } from 'zod'
import { annotationsSchema, provenanceSchema, type StageProvenance } from '../vocabulary/environment.ts'
import type { Json } from '../vocabulary/json.ts'
import { scenarioIdSchema } from '../vocabulary/scenario.ts'
import { storedVerifierSchema, type Task, taskFields } from '../vocabulary/task.ts'
import { toolSchema } from '../vocabulary/tool.ts'

/** The bundle format that this version writes and reads. */
export const bundleFormat = 1

/** What `environment.json` holds: everything about an environment that no other part does, and the hash of each part. */
export interface BundleManifest {
  readonly format: number
  readonly id: string
  readonly scenario: {
    readonly name: string
    readonly description: string
    readonly annotations: Readonly<Record<string, Json>>
  }
  /** Most general first. */
  readonly taxonomy: readonly string[]
  /** ISO 8601 UTC with milliseconds; every instance stands still there. */
  readonly clock: string
  readonly seed: number
  /** Notes of the plugins that wrote the database. */
  readonly annotations: Readonly<Record<string, Json>>
  readonly provenance: readonly StageProvenance[]
  /** sha-256, hex, of every other file, by path. */
  readonly parts: Readonly<Record<string, string>>
}

/** A line of `tasks.jsonl`. */
export interface BundleTask extends Task {
  /** Path of its stored verifier; null when it has none yet. */
  readonly verifier: string | null
}

export const bundleManifestSchema: z.ZodType<BundleManifest> = z.strictObject({
  format: z.literal(bundleFormat),
  id: scenarioIdSchema,
  scenario: z.strictObject({
    name: z.string().min(1),
    description: z.string().min(1),
    annotations: annotationsSchema,
  }),
  taxonomy: z.array(z.string()),
  clock: z.iso.datetime({ precision: 3 }),
  seed: z.int(),
  annotations: annotationsSchema,
  provenance: z.array(provenanceSchema),
  parts: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/, 'a sha-256 in hex')),
})

export const bundleTaskSchema: z.ZodType<BundleTask> = z.strictObject({
  ...taskFields,
  verifier: z.nullable(z.string().regex(/^verifiers\/[A-Za-z0-9_-]+\.json$/)),
})

/** The schema of every part of a bundle that is JSON, by the name of its published JSON Schema. */
export const bundleSchemas = {
  environment: bundleManifestSchema,
  tools: z.array(toolSchema),
  task: bundleTaskSchema,
  verifier: storedVerifierSchema,
} as const satisfies Record<string, z.ZodType>

const titles: Readonly<Record<keyof typeof bundleSchemas, string>> = {
  environment: 'environment.json of an rlenv environment bundle',
  tools: 'tools.json of an rlenv environment bundle',
  task: 'a line of tasks.jsonl of an rlenv environment bundle',
  verifier: 'verifiers/*.json of an rlenv environment bundle',
}

/** The published JSON Schemas (draft 2020-12) by file name; `core/schemas` holds them. */
export function bundleJsonSchemas(): Readonly<Record<string, Json>> {
  const entries = Object.entries(bundleSchemas).map(([name, schema]): readonly [string, Json] => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as { readonly [key: string]: Json }
    const title = titles[name as keyof typeof bundleSchemas]
    return [`${name}.schema.json`, { $schema: $schema ?? null, title, ...rest }]
  })
  return Object.fromEntries(entries)
}
