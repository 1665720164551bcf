import { describe, expect, test } from 'vitest'
import { ArgumentValidator } from '../../../src/environment/tools/argument-validator.ts'
import { worldBounds } from '../../../src/environment/tools/open-values.ts'
import type { Json, JsonObject, JsonSchema } from '../../../src/vocabulary/json.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const violations = (schema: JsonSchema, args: Json, bounds: typeof worldBounds | null = worldBounds) => {
  const result = new ArgumentValidator(schema, bounds).validate(args)
  return result.ok ? [] : result.violations
}
const of = (properties: JsonObject): JsonSchema => ({ type: 'object', properties })
const long = 'x'.repeat(10_001)
const tooLong = 'must have at most 10000 characters, got 10001'
const tooMany = 'must have at most 1000 items, got 1001'
const many = Array.from({ length: 1_001 }, (_, index) => index)

describe('the bounds of arguments of which a schema states none', () => {
  test.each<[string, Json, Json, string]>([
    ['a text', { type: 'string' }, long, '/a'],
    ['a text that may be null', { type: ['string', 'null'] }, long, '/a'],
    ['a text with a pattern', { type: 'string', pattern: '^x+$' }, long, '/a'],
    ['a text in a list', { type: 'array', items: { type: 'string' } }, ['x', long], '/a/1'],
    ['a text in an object', of({ b: { type: 'string' } }), { b: long }, '/a/b'],
    ['a text behind a reference', { $ref: '#/$defs/Name' }, long, '/a'],
    ['one of several texts', { anyOf: [{ type: 'string' }, { type: 'null' }] }, long, '/a'],
    ['a value of any kind', {}, long, '/a'],
    ['a text in a list of anything', { type: 'array' }, [{ b: [long] }], '/a/0/b/0'],
    ['a text in an object of anything', { type: 'object' }, { b: { c: long } }, '/a/b/c'],
    ['a text in a map', { type: 'object', additionalProperties: { type: 'string' } }, { b: long }, '/a/b'],
    ['a text where the whole of JSON Schema is needed', { type: 'string', not: { const: 'y' } }, long, '/a'],
  ])('hold for %s', (_what, property, value, path) => {
    const schema = { ...of({ a: property }), $defs: { Name: { type: 'string' } } } as JsonSchema
    const [found, ...others] = violations(schema, { a: value })
    expect([found?.path, others]).toEqual([path, []])
    expect(found?.message).toContain(tooLong)
    expect(violations(schema, { a: value }, null)).toEqual([])
  })

  test.each<[string, Json]>([
    ['a list', { type: 'array', items: { type: 'integer' } }],
    ['a list of anything', { type: 'array' }],
    ['a list where the whole of JSON Schema is needed', { type: 'array', not: { const: [] } }],
    ['a value of any kind', {}],
  ])('hold for the length of %s', (_what, property) => {
    expect(violations(of({ a: property }), { a: many })).toEqual([{ path: '/a', message: tooMany }])
    expect(violations(of({ a: property }), { a: many.slice(1) })).toEqual([])
  })

  test('hold for the number and the length of names in an object without end', () => {
    const map = Object.fromEntries(many.map((index) => [`k${index}`, index]))
    for (const property of [{ type: 'object' }, { type: 'object', additionalProperties: true }, {}] as Json[]) {
      expect(violations(of({ a: property }), { a: map })[0]?.message).toMatch(
        /at most 1000 (?:such )?properties, got 1001/,
      )
    }
    expect(violations(of({ a: { type: 'array' } }), { a: [{ [long]: 1 }] })).toEqual([
      { path: '/a/0', message: 'must have names of at most 10000 characters, got one of 10001' },
    ])
  })

  test('give way to those that a schema states', () => {
    const stated: JsonObject = {
      body: { type: 'string', maxLength: 20_000 },
      ids: { type: 'array', items: { type: 'integer' }, maxItems: 2_000 },
      kind: { enum: ['a', long] },
    }
    const args = { body: 'é'.repeat(20_000), ids: many, kind: long }
    expect(violations(of(stated), args)).toEqual([])
    expect(violations({ ...of(stated), anyOf: [{ required: ['body'] }, { required: ['ids'] }] }, args)).toEqual([])
    expect(violations({ ...of(stated), minProperties: 1 }, args)).toEqual([])
    expect(violations(of({ body: { type: 'string', maxLength: 20 } }), { body: long })).toEqual([
      { path: '/body', message: 'must have at most 20 characters, got 10001' },
    ])
  })
})

describe('the list of violations', () => {
  const last = { path: '', message: 'have more faults than the 50 listed here' }

  test('ends after 50 unknown arguments, with names of a bearable length', () => {
    const unknown = Object.fromEntries(many.map((index) => [`${index}${'n'.repeat(200)}`, 1]))
    const found = violations(of({ id: { type: 'integer' } }), unknown)
    expect([found.length, found.at(-1)]).toEqual([51, last])
    expect(found[0]).toEqual({
      path: `/0${'n'.repeat(127)}…`,
      message: 'is not an argument of this tool; known: id',
    })
  })

  test('ends after 50 wrong items, and after 50 faults that the whole of JSON Schema finds', () => {
    const wrong = { a: Array.from({ length: 900 }, () => 'x') }
    for (const property of [{}, { not: { const: [] } }]) {
      const schema = of({ a: { type: 'array', items: { type: 'integer' }, ...property } })
      const found = violations(schema, wrong)
      expect([found.length, found[49]?.path, found.at(-1)]).toEqual([51, '/a/49', last])
    }
  })

  test('stays whole up to 50', () => {
    const found = violations(of({ a: { type: 'array', items: { type: 'integer' } } }), { a: Array(50).fill('x') })
    expect([found.length, found.at(-1)?.path]).toEqual([50, '/a/49'])
  })

  test('is what a world answers to 200,000 unknown arguments', () => {
    const instance = environment(database('CREATE TABLE t (s TEXT)'), [
      sqlTool('look', {}, [{ kind: 'rows', sql: 'SELECT s FROM t' }]),
    ]).open({ seed: 1 })
    const { result } = instance.call(
      'look',
      Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`u${i}`, i])),
    )
    instance.close()
    expect(result).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } })
    expect(JSON.stringify(result).length).toBeLessThan(10_000)
  })
})
