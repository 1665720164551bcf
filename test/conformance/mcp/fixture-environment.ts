import type { Environment } from 'rlenv'
import { tinyEnvironment } from 'rlenv/testing'

type Tool = Environment['tools'][number]

const noArguments = { type: 'object', properties: {}, additionalProperties: false }
const reads = { effect: 'read', tables: ['members'], errors: [] } as const

/** The tools that the runner's scenarios call by name, as far as an environment can have them. */
const fixtureTools: readonly Tool[] = [
  {
    ...reads,
    name: 'test_simple_text',
    summary: 'Answers with a text',
    description: 'Answers with a text.',
    inputSchema: noArguments,
    outputSchema: { type: 'array' },
    implementation: {
      kind: 'sql',
      steps: [
        { kind: 'rows', sql: "SELECT 'This is a simple text response for testing.' AS text FROM members LIMIT 1" },
      ],
    },
  },
  {
    ...reads,
    name: 'test_error_handling',
    summary: 'Always refuses',
    description: 'Always refuses.',
    inputSchema: noArguments,
    outputSchema: { type: 'object' },
    errors: [{ code: 'refused', message: 'This tool intentionally returns an error for testing' }],
    implementation: {
      kind: 'sql',
      steps: [
        {
          kind: 'row',
          sql: 'SELECT id FROM members WHERE id < 0',
          error: { code: 'refused', message: 'This tool intentionally returns an error for testing' },
        },
      ],
    },
  },
  {
    ...reads,
    name: 'json_schema_2020_12_tool',
    summary: 'Has a schema with references',
    description: 'Tool with JSON Schema 2020-12 features.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    outputSchema: { type: 'array' },
    implementation: { kind: 'sql', steps: [{ kind: 'rows', sql: 'SELECT id FROM members WHERE name = @name' }] },
  },
]

/** The tiny library with those tools. */
export const fixtureEnvironment: Environment = {
  ...tinyEnvironment({ id: 'conformance' }),
  tools: [...tinyEnvironment().tools, ...fixtureTools],
}
