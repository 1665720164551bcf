import type { Json, StoredVerifier, ToolCall } from 'rlenv'
import { z } from 'zod'
import { type McpServer, serverSchema } from './server-options.ts'

/** A task in the world of a server. It needs something to be judged by: an answer, calls, or a verifier. */
export interface McpTask {
  /** Unique in its environment. Default: "t1", "t2", … by position. */
  readonly id?: string
  /** What a user would say. */
  readonly instruction: string
  /** What kind of goal it is. Default "question" with an answer, otherwise "act". */
  readonly kind?: string
  /** 0 (easy) to 1 (hard). Default 0.5. */
  readonly difficulty?: number
  /**
   * A reference solution, with the server's own names of tools. It is carried out when the environment is made. Rollouts
   * are held to the state that it leaves, where the server's `state` shows one, otherwise to its calls of writing tools.
   */
  readonly calls?: readonly ToolCall[]
  /** The expected final answer. */
  readonly answer?: Json
  /** `exact`: the answer and nothing else; `sentence`: a short sentence that states it passes too. Default "exact". */
  readonly answers?: 'exact' | 'sentence'
  /** What a verifier plugin of the configuration reads, in place of checks of answer, state and calls. */
  readonly verifier?: StoredVerifier
}

/** An environment whose tools are those of a server. */
export interface McpEnvironmentOptions {
  /** Lower-case letters, digits and hyphens. */
  readonly id: string
  /** Default: the id. */
  readonly name?: string
  /** One paragraph: what the server is for. */
  readonly description?: string
  readonly server: McpServer
  readonly tasks: readonly McpTask[]
  /** Source text of verifier scripts by path, `verifiers/*.ts`, for `{ kind: "script", file }`. */
  readonly scripts?: Readonly<Record<string, string>>
}

const taskSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and -')
    .optional(),
  instruction: z.string().min(1),
  kind: z.string().min(1).optional(),
  difficulty: z.number().min(0).max(1).optional(),
  calls: z
    .array(z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.json()) }))
    .readonly()
    .optional(),
  answer: z.json().optional(),
  answers: z.enum(['exact', 'sentence']).optional(),
  verifier: z
    .object({ kind: z.string().min(1) })
    .catchall(z.json())
    .optional(),
})

export const environmentSchema: z.ZodType<McpEnvironmentOptions, McpEnvironmentOptions> = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'lower-case letters, digits and hyphens, at most 80'),
  name: z.string().min(1).optional(),
  description: z.string().min(1).optional(),
  server: serverSchema,
  tasks: z.array(taskSchema).min(1).readonly(),
  scripts: z.record(z.string().regex(/^verifiers\/[A-Za-z0-9_-]+\.ts$/), z.string()).optional(),
}) as unknown as z.ZodType<McpEnvironmentOptions, McpEnvironmentOptions>
