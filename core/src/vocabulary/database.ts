import { z } from 'zod'
import { type Json, jsonSchema } from './json.ts'

/**
 * One database cell in a form that JSON can carry without loss.
 * Integers within ±2^53 and reals are numbers; larger integers are `{ $int64 }` in decimal; BLOBs are `{ $blob }` in base64.
 */
export type Cell = null | number | string | { readonly $int64: string } | { readonly $blob: string }

/** One row by column name. */
export type Row = Readonly<Record<string, Cell>>

/** A database as text, before an image is built from it. Empty strings where no plugin wrote anything yet. */
export interface DatabaseDraft {
  /** DDL, statements separated by `;`. */
  readonly schema: string
  /** INSERT statements; random() and now() already materialised. */
  readonly data: string
  /** The instant at which every instance of this database stands still, ISO 8601 UTC with milliseconds. */
  readonly clock: string
  /** What the plugins that wrote this database noted for their own later stages, by plugin name. */
  readonly annotations: Readonly<Record<string, Json>>
}

export const databaseDraftSchema: z.ZodType<DatabaseDraft> = z.strictObject({
  schema: z.string(),
  data: z.string(),
  clock: z.iso.datetime({ precision: 3 }),
  annotations: z.record(z.string(), jsonSchema),
})

export const cellSchema: z.ZodType<Cell> = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.strictObject({ $int64: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ $blob: z.base64() }),
])
