import { z } from 'zod'

/** A value that survives `JSON.stringify` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** A JSON Schema (draft 2020-12) as it travels to models and MCP clients. */
export type JsonSchema = JsonObject

export const jsonSchema: z.ZodType<Json> = z.json() as z.ZodType<Json>

export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema)
