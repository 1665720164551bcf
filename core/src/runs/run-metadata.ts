import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { rlenvVersion } from '../artifacts/rlenv-version.ts'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { RunStatus } from '../telemetry/run-event.ts'
import { type JsonObject, jsonObjectSchema } from '../vocabulary/json.ts'

/** One start of a run: the first, or a resume. */
export interface RunAttempt {
  /** From 1. */
  readonly attempt: number
  /** ISO 8601. */
  readonly started_at: string
  readonly ended_at: string | null
  /** Null while it goes on, and for ever when it was killed. */
  readonly status: RunStatus | null
  /** Of a resume that nothing refused; the first start has those of the run. */
  readonly settings?: StartSettings | undefined
}

/** What one start of a run was loaded with. */
export interface StartSettings {
  /** File of the run's folder that holds the resolved configuration. */
  readonly config: string
  readonly config_hash: string
  /** What the command adds: plugins, seed, dataset, … */
  readonly details: JsonObject
}

/** What `metadata.json` of a run folder says. */
export interface RunMetadata {
  readonly format: 1
  readonly run_id: string
  readonly kind: string
  readonly name: string
  readonly model: string
  readonly config_hash: string
  readonly rlenv_version: string
  readonly node_version: string
  readonly attempts: readonly RunAttempt[]
  /** What the command added at the first start; see `lastSettings`. */
  readonly details: JsonObject
}

const settingsSchema: z.ZodType<StartSettings> = z.object({
  config: z.string(),
  config_hash: z.string(),
  details: jsonObjectSchema,
})

const schema: z.ZodType<RunMetadata> = z.object({
  format: z.literal(1),
  run_id: z.string(),
  kind: z.string(),
  name: z.string(),
  model: z.string(),
  config_hash: z.string(),
  rlenv_version: z.string(),
  node_version: z.string(),
  attempts: z.array(
    z.object({
      attempt: z.int().min(1),
      started_at: z.string(),
      ended_at: z.string().nullable(),
      status: z.enum(['done', 'failed', 'interrupted']).nullable(),
      settings: settingsSchema.optional(),
    }),
  ),
  details: jsonObjectSchema,
})

type Opening = Pick<RunMetadata, 'run_id' | 'kind' | 'name' | 'model' | 'config_hash' | 'details'>

export function newMetadata(opening: Opening): RunMetadata {
  return { format: 1, ...opening, rlenv_version: rlenvVersion, node_version: process.versions.node, attempts: [] }
}

/** The resolved configuration of a run's first start, in its folder. */
export const firstConfig = 'config.resolved.json'

/** Those of the last start that began: one that was refused, or killed before it was accepted, changes nothing. */
export function lastSettings({ attempts, config_hash, details }: RunMetadata): StartSettings {
  const last = attempts.findLast(({ settings }) => settings !== undefined)
  return last?.settings ?? { config: firstConfig, config_hash, details }
}

export function writeMetadata(folder: string, metadata: RunMetadata): Promise<void> {
  return writeFileAtomic(join(folder, 'metadata.json'), `${JSON.stringify(metadata, null, 2)}\n`)
}

/** @throws {RlenvError} RLENV_RESUME_REFUSED when the folder is not one of a run. */
export async function readMetadata(folder: string): Promise<RunMetadata> {
  const path = join(folder, 'metadata.json')
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause)
    throw new RlenvError(`${folder} is not the folder of a run: ${why}`, {
      code: 'RLENV_RESUME_REFUSED',
      fix: 'Name a folder that a run has made, or start a new run.',
      cause,
    })
  }
}
