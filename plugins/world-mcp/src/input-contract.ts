import type { Json, JsonObject } from 'rlenv'
import { z } from 'zod'
import type { CatalogTool } from './tool-catalog.ts'

/**
 * Whether arguments that passed the check before sending are known to keep the whole published schema. That check leaves
 * `format` to the server, since JSON Schema does, and a schema that it cannot read. In doubt they do not.
 */
export function keepsInputSchema({ definition, validator }: CatalogTool, args: JsonObject): boolean {
  if (validator === null) return false
  const { inputSchema } = definition
  if (!namesFormat(inputSchema)) return true
  try {
    return z.fromJSONSchema(inputSchema as z.core.JSONSchema.JSONSchema).safeParse(args).success
  } catch {
    return false
  }
}

function namesFormat(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  if ('format' in schema && typeof schema.format === 'string') return true
  return Object.values(schema).some(namesFormat)
}
