import { rlenvVersion } from '../../artifacts/rlenv-version.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import { stateSchema } from './action-schemas.ts'
import type { Dialect } from './dialect.ts'

const objectBody = (schema: JsonObject, required: boolean): JsonObject => {
  return { required, content: { 'application/json': { schema } } }
}

const ok = (schema: JsonObject): JsonObject => {
  return { 200: { description: 'Successful Response', content: { 'application/json': { schema } } } }
}

const get = (summary: string, schema: JsonObject = { type: 'object' }): JsonObject => {
  return { get: { summary, responses: ok(schema) } }
}

const post = (summary: string, body: JsonObject, required: boolean, schema: JsonObject): JsonObject => {
  return { post: { summary, requestBody: objectBody(body, required), responses: ok(schema) } }
}

const resetBody: JsonObject = {
  type: 'object',
  properties: {
    seed: { type: ['integer', 'null'], minimum: 0 },
    episode_id: { type: ['string', 'null'], maxLength: 255 },
  },
  additionalProperties: true,
}

const rpcBody: JsonObject = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    method: { enum: ['tools/list', 'tools/call', 'openenv/session/create', 'openenv/session/close'] },
    params: { type: 'object', additionalProperties: true },
    id: { type: ['string', 'integer', 'null'] },
  },
  required: ['jsonrpc', 'method'],
  additionalProperties: false,
}

/** The OpenAPI description that OpenEnv's validator reads; its version names the profile `openenv-http/1.x`. */
export function openApiDocument({ schemas }: Dialect, prefix: string): JsonObject {
  const reply: JsonObject = {
    type: 'object',
    properties: { observation: schemas.observation, reward: { type: ['number', 'null'] }, done: { type: 'boolean' } },
    required: ['observation'],
  }
  const stepBody: JsonObject = {
    type: 'object',
    properties: {
      action: schemas.action,
      timeout_s: { type: ['number', 'null'], exclusiveMinimum: 0 },
      request_id: { type: ['string', 'null'], maxLength: 255 },
    },
    required: ['action'],
    additionalProperties: true,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'OpenEnv Environment HTTP API',
      version: '1.0.0',
      description: `Environments of rlenv ${rlenvVersion}. Episodes live on the WebSocket ${prefix}/ws.`,
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    paths: {
      '/health': get('Whether the server answers'),
      '/metadata': get('Name and description of what is served'),
      '/schema': get('JSON Schemas of actions, observations and states'),
      '/state': get('The state of a fresh environment', stateSchema),
      '/reset': post('A first observation, of a world that ends with the answer', resetBody, false, reply),
      '/step': post('One step in a fresh world that ends with the answer', stepBody, true, reply),
      '/mcp': post('JSON-RPC 2.0 about tools and sessions; always 200', rpcBody, true, { type: 'object' }),
    },
  }
}
