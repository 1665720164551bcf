import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../../src/determinism/random-stream.ts'
import { ArgumentValidator, outputViolations } from '../../../src/environment/tools/argument-validator.ts'
import { generateArguments } from '../../../src/environment/tools/generate-arguments.ts'
import type { Json, JsonSchema } from '../../../src/vocabulary/json.ts'

const validate = (schema: JsonSchema, args: Json | undefined) => new ArgumentValidator(schema).validate(args)
const paths = (schema: JsonSchema, args: Json) => {
  const result = validate(schema, args)
  return result.ok ? [] : result.violations.map((violation) => violation.path)
}

const plan: JsonSchema = {
  type: 'object',
  properties: { q: { $ref: '#/$defs/Query' } },
  required: ['q'],
  $defs: {
    Query: {
      type: 'object',
      properties: {
        limit: { type: ['integer', 'null'], default: null },
        side: { anyOf: [{ enum: ['left', 'right'] }, { type: 'null' }] },
      },
    },
  },
}

describe('ArgumentValidator', () => {
  test('follows references, so that an object stays an object', () => {
    for (const args of [{ q: {} }, { q: { limit: null } }, { q: { limit: 3, side: 'left' } }, { q: { side: null } }]) {
      expect(validate(plan, args)).toMatchObject({ ok: true })
    }
    expect(paths(plan, { q: { side: 'up' } })).toEqual(['/q/side'])
    expect(paths(plan, { q: { limit: '3' } })).toEqual(['/q/limit'])
    expect(paths(plan, {})).toEqual(['/q'])
  })

  test('reads null as left out, and a default as if it had been given', () => {
    const schema = {
      type: 'object',
      properties: {
        limit: { type: ['integer', 'null'], default: null },
        page: { type: 'integer', default: 1 },
        q: { type: 'string' },
      },
    }
    const same = { ok: true, value: { limit: null, page: 1 } }
    for (const args of [{}, { limit: null }, { page: null }, { q: null }, { page: 1 }])
      expect(validate(schema, args)).toEqual(same)
    expect(validate(schema, { limit: 3 })).toEqual({ ok: true, value: { limit: 3, page: 1 } })
  })

  test('leaves null where the schema takes it, for it may mean something else than nothing', () => {
    const properties = { due: { type: ['string', 'null'] }, value: { description: 'Any' }, title: { type: 'string' } }
    const beyondSubset = { type: 'object', properties, not: { required: ['never'] } }
    for (const schema of [{ type: 'object', properties }, beyondSubset]) {
      const given = { due: null, value: null, title: null }
      expect(validate(schema, given)).toEqual({ ok: true, value: { due: null, value: null } })
      expect(validate(schema, {})).toEqual({ ok: true, value: {} })
    }
  })

  test('reads null as left out at every depth, however the schema is written', () => {
    const line = { type: 'object', properties: { note: { type: 'string' }, due: { type: ['string', 'null'] } } }
    const properties = { order: { type: 'object', properties: { lines: { items: { $ref: '#/$defs/line' } } } } }
    const simple = { type: 'object', properties, $defs: { line } }
    for (const schema of [simple, { ...simple, not: { required: ['never'] } }]) {
      expect(validate(schema, { order: { lines: [{ note: null, due: null }] } })).toEqual({
        ok: true,
        value: { order: { lines: [{ due: null }] } },
      })
      expect(paths(schema, { order: { lines: [null] } })).toEqual(['/order/lines/0'])
    }
  })

  test.each([
    [{ type: ['string', 'null'] }],
    [{ type: 'string', nullable: true }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ enum: ['a', null] }],
  ])('takes null for a required argument that may be null: %j', (property) => {
    const schema = { type: 'object', properties: { name: property }, required: ['name'] } as JsonSchema
    expect(validate(schema, { name: null })).toEqual({ ok: true, value: { name: null } })
    expect(validate(schema, { name: 'a' })).toMatchObject({ ok: true })
    expect(paths(schema, { name: 7 })).toContain('/name')
  })

  test('refuses null for a required argument that must be something', () => {
    expect(paths({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }, { id: null })).toEqual([
      '/id',
    ])
  })

  test('refuses arguments that the tool does not have, unless its schema allows them', () => {
    const schema = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] }
    expect(validate(schema, { sku: 'A', warehouse: 'moon' })).toEqual({
      ok: false,
      violations: [{ path: '/warehouse', message: 'is not an argument of this tool; known: sku' }],
    })
    expect(validate({ ...schema, additionalProperties: true }, { sku: 'A', warehouse: 'moon' })).toMatchObject({
      ok: true,
    })
    expect(paths({ ...schema, additionalProperties: { type: 'integer' } }, { sku: 'A', shelf: 'x' })).toEqual([
      '/shelf',
    ])
    expect(paths({ ...schema, not: { type: 'null' } }, { sku: 'A', warehouse: 'moon' })).toEqual(['/warehouse'])
  })

  test('lets a tool without arguments be called with nothing', () => {
    for (const schema of [{}, { type: 'object' }, { type: 'object', properties: {} }] as JsonSchema[]) {
      expect(validate(schema, {})).toEqual({ ok: true, value: {} })
      expect(validate(schema, undefined)).toEqual({ ok: true, value: {} })
      expect(validate(schema, null)).toEqual({ ok: true, value: {} })
      expect(paths(schema, { x: 1 })).toEqual(['/x'])
    }
    expect(paths({ type: 'object' }, [1])).toEqual([''])
    expect(paths({ type: 'object' }, 'x')).toEqual([''])
  })

  test('names every violation by its path', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 5 },
        price: { type: 'number', multipleOf: 0.01 },
        name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 2, uniqueItems: true },
        at: { type: 'object', properties: { 'x/y': { type: 'boolean' } }, required: ['x/y'] },
        kind: { const: 'a' },
      },
    }
    expect(paths(schema, { count: 6, price: 1.005, name: 'X', tags: ['a', 1, 'a'], at: { z: 1 }, kind: 'b' })).toEqual([
      '/count',
      '/price',
      '/name',
      '/name',
      '/tags',
      '/tags',
      '/tags/1',
      '/at/x~1y',
      '/at/z',
      '/kind',
    ])
    expect(
      validate(schema, { count: 5, price: 0.29, name: 'abc', tags: ['a', 'b'], at: { 'x/y': true }, kind: 'a' }),
    ).toMatchObject({ ok: true })
  })

  test('falls back to the whole of JSON Schema and keeps its own rules there', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        by: { oneOf: [{ type: 'integer' }, { type: 'string', maxLength: 3 }] },
        page: { type: 'integer', default: 1 },
        note: { type: 'string', not: { const: 'x' } },
      },
      dependentRequired: { note: ['by'] },
    }
    expect(validate(schema, { by: 'abc', note: null })).toEqual({ ok: true, value: { by: 'abc', page: 1 } })
    expect(paths(schema, { by: 'abcd' })).toContain('/by')
    expect(paths(schema, { note: 'y' })).toEqual(['/by'])
    expect(paths(schema, { other: 1 })).toEqual(['/other'])
  })

  test('copes with schemas that contain themselves', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { node: { $ref: '#/$defs/Node' } },
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, v: { type: 'integer' } } } },
    }
    expect(validate(tree, { node: { next: { next: { v: 1 } } } })).toMatchObject({ ok: true })
    expect(paths(tree, { node: { next: { v: 'x' } } })).toEqual(['/node/next/v'])
  })

  test('refuses patterns that may never come to an end', () => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } }
    expect(() => new ArgumentValidator(schema)).toThrow(/exponential/)
  })

  test('is not fooled by names of the object prototype', () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    expect(paths(schema, JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1}'))).toEqual([
      '/__proto__',
      '/constructor',
    ])
    expect(
      validate({ type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] }, {}),
    ).toMatchObject({ ok: false })
  })
})

describe('generateArguments', () => {
  const property = fc.oneof(
    fc.record({
      type: fc.constant('integer'),
      minimum: fc.integer({ min: -5, max: 5 }),
      maximum: fc.integer({ min: 6, max: 9 }),
    }),
    fc.record({ type: fc.constant('number'), exclusiveMinimum: fc.constant(0) }),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(12), maxLength: fc.integer({ min: 12, max: 20 }) }),
    fc.record({ type: fc.constant(['boolean', 'null']) }),
    fc.record({ enum: fc.constant(['a', 'b', 3]) }),
    fc.record({ type: fc.constant('array'), items: fc.constant({ type: 'integer' }), minItems: fc.nat(3) }),
    fc.record({ anyOf: fc.constant([{ type: 'integer' }, { const: 'all' }]) }),
    fc.constant({ $ref: '#/$defs/Point' }),
  )

  test('only makes arguments that its schema accepts', () => {
    const names = ['alpha', 'beta', 'gamma']
    fc.assert(
      fc.property(fc.array(property, { minLength: 1, maxLength: 3 }), fc.integer(), (properties, seed) => {
        const schema = {
          type: 'object',
          properties: Object.fromEntries(properties.map((value, index) => [names[index], value])),
          required: ['alpha'],
          $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
        } as unknown as JsonSchema
        const args = generateArguments(schema, RandomStream.of(seed))
        expect(validate(schema, args)).toMatchObject({ ok: true })
        expect(generateArguments(schema, RandomStream.of(seed))).toEqual(args)
      }),
    )
  })
})

describe('outputViolations', () => {
  test('says where a result departs from its schema and allows what the schema does not mention', () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    }
    expect(outputViolations(schema, [{ id: 1, more: true }])).toEqual([])
    expect(outputViolations(schema, [{ id: 1 }, { id: null }, {}]).map((violation) => violation.path)).toEqual([
      '/1/id',
      '/2/id',
    ])
  })
})
