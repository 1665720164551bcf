import { z } from 'zod'
import { issueText, schemaIssues } from '../../errors/schema-issues.ts'
import { HttpProblem } from '../http-problem.ts'

/** The parsed body of a request, before it is checked. */
export type ControlBody = unknown

const bodies = {
  open: z.strictObject({
    environmentId: z.string().min(1),
    taskId: z.string().min(1).optional(),
    seed: z.int().optional(),
    surface: z.enum(['direct', 'meta']).optional(),
    /** Milliseconds to wait for a place when all are taken. */
    waitMs: z.int().min(0).max(3_600_000).default(30_000),
  }),
  capture: z.strictObject({
    /** Names of tables whose rows are wanted as well. */
    tables: z.array(z.string()).optional(),
    /** Most rows of each. */
    maxRows: z.int().min(1).max(100_000).optional(),
  }),
  verify: z.strictObject({ answer: z.string().nullable().optional() }),
} as const

/** @throws {HttpProblem} 400 naming every key that is wrong. */
export function readControlBody<Name extends keyof typeof bodies>(
  name: Name,
  body: ControlBody,
): z.infer<(typeof bodies)[Name]> {
  const schema: z.ZodType = bodies[name]
  const read = schema.safeParse(body)
  if (read.success) return read.data as z.infer<(typeof bodies)[Name]>
  throw new HttpProblem(schemaIssues(schema, body).map(issueText).join('; '), { status: 400 })
}
