import type { JsonObject, JsonSchema } from '../../vocabulary/json.ts'
import type { QueryImplementation, Tool } from '../../vocabulary/tool.ts'
import { isObject } from './schema-references.ts'

/** Longest query where the tool's schema states no bound, in UTF-16 units. */
const defaultLength = 4_000

/** Tells callers, and what makes arguments up, that a text is SQL. Source: RFC 6922. */
export const sqlMediaType = 'application/sql'

const schemas = new WeakMap<Tool, JsonSchema>()

/** A tool's input schema, in which the text of a query is marked as SQL and bounded. */
export function callableSchema(tool: Tool): JsonSchema {
  const { implementation, inputSchema } = tool
  if (implementation.kind !== 'query') return inputSchema
  const known = schemas.get(tool)
  if (known !== undefined) return known
  const property = queryProperty(tool, implementation)
  const sql: JsonObject = { maxLength: defaultLength, ...property, contentMediaType: sqlMediaType }
  const properties = { ...(inputSchema.properties as JsonObject), [implementation.argument]: sql }
  const schema = property === undefined ? inputSchema : { ...inputSchema, properties }
  schemas.set(tool, schema)
  return schema
}

/** What the schema of a tool says about the argument that holds its query; undefined when it is no argument. */
export function queryProperty({ inputSchema }: Tool, { argument }: QueryImplementation): JsonObject | undefined {
  const { properties } = inputSchema
  if (!isObject(properties) || !Object.hasOwn(properties, argument)) return undefined
  const property = properties[argument]
  return isObject(property) ? property : undefined
}
