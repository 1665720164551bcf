import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readToolAction, unknownAction } from '../../../src/serving/openenv/action.ts'
import { readClientFrame } from '../../../src/serving/openenv/client-frame.ts'
import { parseRpcRequest } from '../../../src/serving/openenv/json-rpc.ts'
import {
  capacityReached,
  errorFrame,
  isFault,
  observationFrame,
  stateFrame,
} from '../../../src/serving/openenv/server-frame.ts'
import type { Json } from '../../../src/vocabulary/json.ts'

const read = (frame: Json) => readClientFrame(JSON.stringify(frame))

describe('frames of a client', () => {
  it.each<[Json, Json]>([
    [{ type: 'reset' }, { type: 'reset', data: {} }],
    [
      { type: 'reset', data: { seed: 3, whatever: [1] } },
      { type: 'reset', data: { seed: 3, whatever: [1] } },
    ],
    [
      { type: 'step', data: { type: 'list_tools' } },
      { type: 'step', data: { type: 'list_tools' } },
    ],
    [{ type: 'state' }, { type: 'state' }],
    [{ type: 'close' }, { type: 'close' }],
    [
      { type: 'mcp', data: { method: 'tools/list' } },
      { type: 'mcp', data: { method: 'tools/list' } },
    ],
  ])('reads %j', (frame, expected) => {
    expect(read(frame)).toEqual(expected)
  })

  it.each<[string, Json]>([
    ['a state frame with data', { type: 'state', data: {} }],
    ['a step without data', { type: 'step' }],
    ['a step whose data is a list', { type: 'step', data: [] }],
    ['a reset whose data is null', { type: 'reset', data: null }],
    ['a key that nobody knows', { type: 'reset', data: {}, request_id: 7 }],
    ['a list', [{ type: 'reset' }]],
    ['a text', 'reset'],
    ['null', null],
  ])('refuses %s and says which field is wrong', (_what, frame) => {
    const fault = read(frame)
    expect(fault).toMatchObject({ code: 'VALIDATION_ERROR', message: 'Invalid message' })
    expect(fault).toHaveProperty('errors.length', 1)
  })

  it('names the field, the kind of error and the reason as the official server does', () => {
    expect(read({ type: 'step', extra: 1 })).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'Invalid message',
      errors: [
        { type: 'missing', loc: ['data'], msg: 'Field required' },
        { type: 'extra_forbidden', loc: ['extra'], msg: 'Extra inputs are not permitted' },
      ],
    })
  })

  it.each<[Json, string]>([
    [{ type: 'dance' }, 'Unknown message type: dance'],
    [{ type: 'constructor' }, 'Unknown message type: constructor'],
    [{ type: '__proto__' }, 'Unknown message type: __proto__'],
    [{ type: 7 }, 'Unknown message type: 7'],
    [{}, 'Unknown message type: '],
  ])('does not know the type of %j', (frame, message) => {
    expect(read(frame)).toEqual({ code: 'UNKNOWN_TYPE', message })
  })

  it.each([
    '',
    '{',
    'NaN',
    '{"type":"step","data":{"arguments":{"x":NaN}}}',
    '\u0000',
    '{"type":"reset"}{"type":"reset"}',
  ])('says that %j is no JSON', (text) => {
    expect(readClientFrame(text)).toMatchObject({
      code: 'INVALID_JSON',
      message: expect.stringMatching(/^Invalid JSON: /),
    })
  })

  it('answers any text at all, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const frame = readClientFrame(text)
          if (isFault(frame)) expect(JSON.parse(errorFrame(frame))).toMatchObject({ type: 'error' })
        },
      ),
    )
  })
})

describe('actions', () => {
  it('reads the two actions about tools', () => {
    expect(readToolAction({ type: 'list_tools' })).toEqual({ kind: 'list' })
    expect(readToolAction({ type: 'call_tool', tool_name: 'x', metadata: {} })).toEqual({
      kind: 'call',
      tool: 'x',
      arguments: {},
    })
  })

  it('names everything that is wrong with a call', () => {
    const errors = readToolAction({ type: 'call_tool', tool_name: 1, arguments: '{}', timeout_s: 3 })
    expect(errors).toEqual([
      { type: 'string_type', loc: ['tool_name'], msg: 'Input should be a valid string' },
      { type: 'dict_type', loc: ['arguments'], msg: 'Input should be a valid dictionary' },
      { type: 'extra_forbidden', loc: ['timeout_s'], msg: 'Extra inputs are not permitted' },
    ])
  })

  it('leaves other actions to the dialect, which says what it knows', () => {
    expect(readToolAction({ type: 'jump' })).toBeNull()
    expect(unknownAction({ type: 'jump' }, ['a', 'b'])[0]).toMatchObject({ type: 'union_tag_invalid', loc: ['type'] })
    expect(unknownAction({}, ['a'])[0]).toMatchObject({ type: 'missing', loc: ['type'] })
  })
})

describe('frames of the server', () => {
  it('are spelt as the recorded exchange has them', () => {
    expect(observationFrame({ observation: { reward_type: 'reset_ok' }, reward: null, done: false })).toBe(
      '{"type":"observation","data":{"observation":{"reward_type":"reset_ok"},"reward":null,"done":false}}',
    )
    expect(stateFrame({ episodeId: 'ep-1', stepCount: 10 })).toBe(
      '{"type":"state","data":{"episode_id":"ep-1","step_count":10}}',
    )
    expect(JSON.parse(errorFrame(capacityReached(4, 4)))).toEqual({
      type: 'error',
      data: {
        message: 'Server at capacity: 4/4 sessions active. Cannot accept new connections.',
        code: 'CAPACITY_REACHED',
        active_sessions: 4,
        max_sessions: 4,
      },
    })
  })
})

describe('requests of JSON-RPC', () => {
  it('takes exactly the four keys', () => {
    expect(parseRpcRequest('{"jsonrpc":"2.0","method":"tools/list","id":1}')).toEqual({
      kind: 'request',
      request: { method: 'tools/list', params: {}, id: 1 },
    })
  })

  it.each<[string, number]>([
    ['{', -32700],
    ['', -32700],
    ['{}', -32600],
    ['[]', -32600],
    ['{"jsonrpc":"1.0","method":"x"}', -32600],
    ['{"jsonrpc":"2.0","method":"x","params":[]}', -32600],
    ['{"jsonrpc":"2.0","method":"x","id":{}}', -32600],
    ['{"jsonrpc":"2.0","method":"x","id":1.5}', -32600],
    ['{"jsonrpc":"2.0","method":"x","extra":1}', -32600],
  ])('answers %j with %i', (text, code) => {
    expect(parseRpcRequest(text)).toMatchObject({
      kind: 'refused',
      response: { jsonrpc: '2.0', id: null, error: { code, data: null } },
    })
  })
})
