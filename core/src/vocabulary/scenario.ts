import { z } from 'zod'
import { type Json, jsonSchema } from './json.ts'

/** A theme that an environment is built for: a kind of stateful, database-backed application. */
export interface Scenario {
  /** Unique within a run, kebab-case; the environment built from it carries the same id. */
  readonly id: string
  /** Short title a person recognises, for example "Veterinary clinic". */
  readonly name: string
  /** One paragraph: who uses the application and for what. */
  readonly description: string
  /** Path in a taxonomy, most general first, for example ["health", "clinic"]. */
  readonly taxonomy: readonly string[]
  /** What the plugins that wrote this scenario noted for their own later stages, by plugin name. */
  readonly annotations: Readonly<Record<string, Json>>
}

export const scenarioIdSchema: z.ZodType<string> = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'lower-case letters, digits and hyphens, at most 80')

export const scenarioSchema: z.ZodType<Scenario> = z.strictObject({
  id: scenarioIdSchema,
  name: z.string().min(1),
  description: z.string().min(1),
  taxonomy: z.array(z.string()),
  annotations: z.record(z.string(), jsonSchema),
})
