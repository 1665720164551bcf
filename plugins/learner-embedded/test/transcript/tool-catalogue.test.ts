import type { JsonSchema, ToolDefinition } from 'rlenv'
import { expect, test } from 'vitest'
import { stemHash } from '../../src/text/stem.ts'
import { KeyMatches, keyMatch } from '../../src/transcript/key-match.ts'
import { isIdName, parameterRoles, parameterShapes } from '../../src/transcript/parameter-view.ts'
import { catalogueOf, listedTools } from '../../src/transcript/tool-catalogue.ts'

function tool(
  name: string,
  properties: JsonSchema,
  readOnly: boolean,
  required = Object.keys(properties),
): ToolDefinition {
  return { name, description: `${name} it.`, inputSchema: { type: 'object', properties, required }, readOnly }
}

const text = { type: 'string' }
const integer = { type: 'integer' }
const shop = [
  tool('search_customers', { query: text }, true),
  tool('list_orders_by_customer', { customer_id: integer, status: { ...text, enum: ['open', 'paid'] } }, true, [
    'customer_id',
  ]),
  tool('get_order', { id: integer }, true),
  tool('cancel_order', { id: integer }, false),
  tool('move_points', { from_customer_id: integer, to_customer_id: integer, amount: integer }, false),
  tool('set_order_date', { order_id: integer, date: { ...text, description: 'Day, YYYY-MM-DD.' } }, false),
]
const catalogue = catalogueOf(shop)
const view = (name: string) => catalogue.tools[catalogue.byName.get(name) ?? -1]

test('tells verb, thing and parameters of a tool', () => {
  expect(view('list_orders_by_customer')).toMatchObject({
    verb: stemHash('list'),
    nouns: [stemHash('order')],
    phrase: 'list orders by customer',
    lookUp: false,
    idParameters: [0],
    valueParameters: [1],
  })
  expect(view('search_customers')).toMatchObject({ lookUp: true, searchStems: [stemHash('query')] })
})

test('finds the verb last where the environment puts it there', () => {
  const turned = catalogueOf([
    tool('order_cancel', { order_id: integer }, false),
    tool('order_get', { order_id: integer }, true),
  ])
  expect(turned.tools[0]).toMatchObject({ verb: stemHash('cancel'), nouns: [stemHash('order')] })
})

test('knows ends of a transfer and text formats', () => {
  expect(view('move_points')?.parameters.map((parameter) => parameter.role)).toEqual([
    parameterRoles.from,
    parameterRoles.to,
    parameterRoles.none,
  ])
  expect(view('set_order_date')?.parameters[1]?.shape).toBe(parameterShapes.date)
})

test('knows which reads return the ids that a tool needs', () => {
  const at = catalogue.byName.get('cancel_order') ?? -1
  const names = catalogue.producers[at]?.map((makers) => makers.map((maker) => catalogue.tools[maker]?.name))
  expect(names).toEqual([['list_orders_by_customer']])
})

test.each([
  ['id', true],
  ['order_id', true],
  ['orderId', true],
  ['paid', false],
  ['valid', false],
  ['identity', false],
])('takes "%s" as the name of an id: %s', (name, expected) => {
  expect(isIdName(name)).toBe(expected)
})

test('grades how keys of rows match id parameters', () => {
  const keys = new KeyMatches(catalogue)
  const cancel = catalogue.byName.get('cancel_order') ?? -1
  const search = catalogue.byName.get('search_customers') ?? -1
  const list = catalogue.byName.get('list_orders_by_customer') ?? -1
  const match = (key: string, from: number, to: number) => keys.matchOf(keys.signature(key, from), to, 0)
  expect(match('id', list, cancel)).toBe(keyMatch.noun)
  expect(match('order_id', search, cancel)).toBe(keyMatch.noun)
  expect(match('customer_id', list, list)).toBe(keyMatch.exact)
  expect(match('id', search, cancel)).toBe(keyMatch.bare)
  expect(match('customer_id', list, cancel)).toBe(keyMatch.none)
  expect(keys.signature('name', list)).toBe(-1)
})

test('reads listings of MCP servers and of the meta surface', () => {
  const listing = [{ name: 'a', description: 'b', inputSchema: {}, readOnly: true }, 7]
  expect(listedTools(listing)).toHaveLength(1)
  expect(listedTools({ tools: [{ name: 'a', annotations: { readOnlyHint: true } }] })?.[0]?.readOnly).toBe(true)
  expect(listedTools({ error: 'x' })).toBeNull()
})

test('names tools with equal words by their exact names', () => {
  const twins = catalogueOf([
    tool('get_order', { order_id: integer }, true),
    tool('getOrder', { order_id: integer }, true),
  ])
  expect(twins.tools.map(({ phrase }) => phrase)).toEqual(['get_order', 'getOrder'])
})
