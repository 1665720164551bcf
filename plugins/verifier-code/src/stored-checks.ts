import type { Json, JsonObject, RowChange, StoredVerifier } from 'rlenv'
import { z } from 'zod'

/** A foreign key of the schema: `table.column` holds values of `target.targetColumn`. */
export interface ColumnReference {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly targetColumn: string
}

/** How a final answer may be worded: nothing but the value, or a sentence that states it and no other. */
export type AnswerWording = 'exact' | 'sentence'

export interface AnswerCheck {
  readonly value: Json
  readonly wording: AnswerWording
  /** Other values of the same kind; a sentence that holds one of them does not commit itself. */
  readonly alternatives: readonly string[]
}

export interface CallCheck {
  readonly tool: string
  readonly arguments: JsonObject
}

/** What a task's rollout is held to, as it lies in an environment bundle. */
export interface StoredChecks {
  readonly kind: 'checks'
  /** Every row that must differ between the initial and the final state; none besides may. */
  readonly state: readonly RowChange[]
  /** `table.column` of inserted rows that the database fills in by itself; not compared. */
  readonly generated: readonly string[]
  /** Decimals that a column is compared with, by `table.column`; others are compared to the last bit but noise. */
  readonly rounding: Readonly<Record<string, number>>
  /** References between tables that rows are inserted into: compared by the row they point at. */
  readonly references: readonly ColumnReference[]
  readonly answer: AnswerCheck | null
  /** Acts that leave no trace in the database. */
  readonly calls: readonly CallCheck[]
}

const json = z.json() as z.ZodType<Json>
const row = z.record(z.string(), json)

const storedChecksSchema = z.strictObject({
  kind: z.literal('checks'),
  state: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('insert'), table: z.string(), key: row, after: row }),
      z.strictObject({ kind: z.literal('delete'), table: z.string(), key: row, before: row }),
      z.strictObject({ kind: z.literal('update'), table: z.string(), key: row, before: row, after: row }),
    ]),
  ),
  generated: z.array(z.string()),
  rounding: z.record(z.string(), z.int().min(0).max(15)),
  references: z.array(
    z.strictObject({ table: z.string(), column: z.string(), target: z.string(), targetColumn: z.string() }),
  ),
  answer: z
    .strictObject({ value: json, wording: z.enum(['exact', 'sentence']), alternatives: z.array(z.string()) })
    .nullable(),
  calls: z.array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), json) })),
})

/** The checks in a stored verifier, or in words why it holds none that can be read. */
export function readStoredChecks(stored: StoredVerifier): StoredChecks | string {
  const parsed = storedChecksSchema.safeParse(stored)
  if (parsed.success) return parsed.data as unknown as StoredChecks
  const [issue] = parsed.error.issues
  return `the stored checks are damaged at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? 'unreadable'}`
}
