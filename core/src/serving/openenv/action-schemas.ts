import type { JsonObject } from '../../vocabulary/json.ts'

const text: JsonObject = { type: 'string' }
const count: JsonObject = { type: 'integer' }
const anyObject: JsonObject = { type: 'object', additionalProperties: true }

const listToolsSchema: JsonObject = {
  type: 'object',
  properties: { type: { const: 'list_tools' }, metadata: anyObject },
  required: ['type'],
  additionalProperties: false,
}

const callToolSchema: JsonObject = {
  type: 'object',
  properties: { type: { const: 'call_tool' }, tool_name: text, arguments: anyObject, metadata: anyObject },
  required: ['type', 'tool_name'],
  additionalProperties: false,
}

const toolListSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: text, description: text, input_schema: anyObject },
    required: ['name', 'description', 'input_schema'],
  },
}

export const awmActionSchema: JsonObject = { oneOf: [listToolsSchema, callToolSchema] }

/** No other key may appear: the official client refuses the observation then. */
export const awmObservationSchema: JsonObject = {
  type: 'object',
  properties: {
    reward_type: text,
    scenario: text,
    task: text,
    task_idx: count,
    has_verifier: { type: 'object', properties: { sql: { type: 'boolean' }, code: { type: 'boolean' } } },
    num_tools: count,
    tool_name: text,
    tool_result: {},
    tools: toolListSchema,
    error: { type: ['string', 'null'] },
    warning: text,
    verify_result: anyObject,
    steps_taken: count,
    scenarios: { type: 'array', items: anyObject },
    total: count,
    metadata: anyObject,
  },
  additionalProperties: false,
}

const verifySchema: JsonObject = {
  type: 'object',
  properties: { type: { const: 'verify' }, answer: { type: ['string', 'null'] }, metadata: anyObject },
  required: ['type'],
  additionalProperties: false,
}

export const genericActionSchema: JsonObject = { oneOf: [listToolsSchema, callToolSchema, verifySchema] }

export const genericObservationSchema: JsonObject = {
  type: 'object',
  properties: {
    environment_id: text,
    task_id: { type: ['string', 'null'] },
    task_idx: { type: ['integer', 'null'] },
    task: { type: ['string', 'null'] },
    num_tools: count,
    tools: toolListSchema,
    tool_name: text,
    result: {},
    error: {
      type: ['object', 'null'],
      properties: {
        error_type: { enum: ['execution_error', 'invalid_args', 'transport_error', 'tool_not_found', 'timeout'] },
        message: text,
      },
    },
    verdict: { enum: ['passed', 'failed', 'partial', 'unscored'] },
    passed: { type: 'boolean' },
    score: { type: 'number', minimum: 0, maximum: 1 },
    reason: { type: ['string', 'null'] },
    evidence: { type: 'array', items: anyObject },
    steps_taken: count,
    metadata: anyObject,
  },
}

export const stateSchema: JsonObject = {
  type: 'object',
  properties: { episode_id: { type: ['string', 'null'] }, step_count: { type: 'integer', minimum: 0 } },
  additionalProperties: true,
}
