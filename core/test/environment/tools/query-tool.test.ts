import { afterAll, describe, expect, test } from 'vitest'
import { RandomStream } from '../../../src/determinism/random-stream.ts'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import { ArgumentPool } from '../../../src/environment/tools/argument-pool.ts'
import { generateArguments } from '../../../src/environment/tools/generate-arguments.ts'
import { isRlenvError } from '../../../src/errors/rlenv-error.ts'
import { type Tool, toolSchema } from '../../../src/vocabulary/tool.ts'
import {
  database,
  environment,
  queryTool,
  sqlArgument,
  sqlTool,
  workshopData,
  workshopSchema,
  workshopTools,
} from '../workshop.ts'

const draft = database(workshopSchema, workshopData)
const world = environment(draft, [
  ...workshopTools,
  queryTool(),
  sqlTool('all_orders', {}, [{ kind: 'rows', sql: 'SELECT * FROM orders ORDER BY id' }]),
  sqlTool('all_customers', {}, [{ kind: 'rows', sql: 'SELECT * FROM customers ORDER BY id' }]),
])
afterAll(() => world.close())

const ask = (instance: EnvironmentInstance, sql: string) => instance.call('query', { sql }).result

/** The rows of a query that must succeed. */
function rows(instance: EnvironmentInstance, sql: string): unknown {
  const result = ask(instance, sql)
  if (!result.ok) throw new Error(result.error.message)
  return result.content
}

const content = (instance: EnvironmentInstance, tool: string): unknown => {
  const { result } = instance.call(tool, {})
  return result.ok ? result.content : result.error
}

/** Whether queries see what the tools see. */
function expectSameSight(instance: EnvironmentInstance): void {
  expect(rows(instance, 'SELECT * FROM orders ORDER BY id')).toEqual(content(instance, 'all_orders'))
  expect(rows(instance, 'SELECT * FROM customers ORDER BY id')).toEqual(content(instance, 'all_customers'))
}

describe.each(['replay', 'clone', 'auto'] as const)('a query on a %s instance', (strategy) => {
  const add = (instance: EnvironmentInstance, name: string) => instance.call('add_customer', { name, email: null })

  test('sees what tools see: when fresh, after writes, in forks and after a reset', () => {
    const instance = world.open({ seed: 1, strategy })
    expectSameSight(instance)
    add(instance, 'Dora')
    expectSameSight(instance)
    expect(rows(instance, 'SELECT count(*) AS n FROM customers')).toEqual([{ n: 4 }])
    const fork = instance.fork()
    add(fork, 'Emil')
    expectSameSight(fork)
    expect(rows(fork, 'SELECT name FROM customers WHERE id > 3 ORDER BY id')).toEqual([
      { name: 'Dora' },
      { name: 'Emil' },
    ])
    expect(rows(instance, 'SELECT name FROM customers WHERE id > 3')).toEqual([{ name: 'Dora' }])
    instance.reset()
    expectSameSight(instance)
    expect(rows(instance, 'SELECT count(*) AS n FROM customers')).toEqual([{ n: 3 }])
    for (const one of [instance, fork]) one.close()
  })

  test('sees no other instance, whoever was asked in between', () => {
    const [one, other] = [world.open({ seed: 1, strategy }), world.open({ seed: 2, strategy })]
    add(one, 'Only here')
    const names = 'SELECT name FROM customers WHERE id = 4'
    expect([rows(one, names), rows(other, names), rows(one, names)]).toEqual([
      [{ name: 'Only here' }],
      [],
      [{ name: 'Only here' }],
    ])
    for (const instance of [one, other]) instance.close()
  })

  test('leaves no trace: no change, and the same random numbers in the writes that follow', () => {
    const [quiet, asked] = [world.open({ seed: 5, strategy }), world.open({ seed: 5, strategy })]
    const { diff } = asked.call('query', { sql: 'SELECT random() AS n FROM customers' })
    expect(diff).toEqual([])
    for (const instance of [quiet, asked]) add(instance, 'Dora')
    expect(asked.diff()).toEqual(quiet.diff())
    expect(asked.verifyDiff()).toEqual(asked.diff())
    for (const instance of [quiet, asked]) instance.close()
  })

  test('draws random numbers that follow from the seed and the place of the call', () => {
    const drawn = (seed: number) => {
      const instance = world.open({ seed, strategy })
      const numbers = [rows(instance, 'SELECT random() AS n'), rows(instance, 'SELECT random() AS n')]
      instance.close()
      return numbers
    }
    expect(drawn(3)).toEqual(drawn(3))
    expect(drawn(3)[0]).not.toEqual(drawn(3)[1])
    expect(drawn(3)).not.toEqual(drawn(4))
  })
})

describe('what a query may ask', () => {
  const instance = world.open({ seed: 1 })
  afterAll(() => instance.close())

  test.each([
    ['a join', 'SELECT c.name, o.cents FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.id = 2'],
    ['an outer join', 'SELECT c.name, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY 1, 2'],
    ['groups', 'SELECT customer_id, sum(cents) AS s FROM orders GROUP BY customer_id HAVING s > 50 ORDER BY s'],
    ['a subquery', 'SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE cents > 400)'],
    ['a view', 'SELECT b.id, c.name FROM big_orders b JOIN customers c ON c.id = 1'],
    ['named queries', 'WITH spent AS (SELECT customer_id, sum(cents) AS s FROM orders GROUP BY 1) SELECT * FROM spent'],
    ['windows', 'SELECT id, rank() OVER (ORDER BY cents DESC) AS place FROM orders ORDER BY id'],
    ['set operators', 'SELECT id FROM orders EXCEPT SELECT id FROM big_orders ORDER BY 1'],
    ['values', "VALUES (1, 'one'), (2, 'two')"],
    ['a table without row ids', 'SELECT * FROM order_items ORDER BY order_id, line'],
    ['a table whose columns hide its row ids', 'SELECT * FROM settings'],
    ['generated columns', 'SELECT label, dollars FROM orders WHERE dollars > 4 ORDER BY id'],
    ['search', "SELECT name FROM customers WHERE name LIKE '%n%' AND email GLOB '*@*' ORDER BY name"],
    ['time that stands still', "SELECT date('now') AS today, CURRENT_TIMESTAMP AS now"],
    ['a semicolon at the end', 'SELECT 1 AS one; -- done'],
    ['joined texts', "SELECT group_concat(name, '; ') AS a, group_concat(DISTINCT id % 2) AS b FROM customers"],
    [
      'joined texts in an order, of numbers and of nothing',
      'SELECT string_agg(cents / 100.0, 1.0 ORDER BY id DESC) AS a, group_concat(NULL) AS b, group_concat(id) FILTER (WHERE id > 1) AS c FROM orders',
    ],
  ])('%s: answered as the plain database answers', (_what, sql) => {
    expect(rows(instance, sql)).toEqual(world.initial.query(sql.replace(/; --.*/, '')))
  })

  test('a value beyond doubles, and bytes, keep their form', () => {
    expect(rows(instance, 'SELECT weight FROM tags WHERE weight > 5 AND weight < 1e300')).toEqual([
      { weight: { $int64: '9007199254740993' } },
    ])
    expect(rows(instance, "SELECT what FROM order_items WHERE typeof(what) = 'blob'")).toEqual([
      { what: { $blob: 'AP8=' } },
    ])
  })

  test('of several columns with one name the last is shown, and a notice says so', () => {
    expect(ask(instance, 'SELECT c.id, o.id FROM customers c JOIN orders o ON o.id = 3 AND c.id = 1')).toEqual({
      ok: true,
      content: [{ id: 3 }],
      notice: 'of several columns named id only the last is shown; name them with AS',
    })
  })

  test('a mistake is told in words that help to correct it', () => {
    const told = (sql: string) => {
      const result = ask(instance, sql)
      return result.ok ? null : [result.error.kind, result.error.code, result.error.message]
    }
    const invalid = (message: string) => ['business_rejection', 'invalid_query', `query: the query ${message}`]
    expect(told('SELECT nmae FROM customers')).toEqual(invalid('cannot be read: no such column: nmae'))
    expect(told('SELECT * FROM clients')).toEqual(
      invalid(
        'cannot be read: no such table: clients; there are customers, log, order_items, orders, settings, tags, big_orders',
      ),
    )
    expect(told('SELECT * FORM customers')).toEqual(invalid('cannot be read: near "FORM": syntax error'))
    expect(told('SELECT name FROM customers WHERE id = @id AND name LIKE email')).toEqual(
      invalid(
        "has the parameter @id; write its value into the query; takes what LIKE looks for from more than literal text; to look for a column's text use instr()",
      ),
    )
    expect(told("SELECT json_extract(name, '$') FROM customers")).toEqual([
      'business_rejection',
      'statement_failed',
      'query was refused: malformed JSON',
    ])
    expect(told('')).toEqual(invalid('holds no statement'))
    expect(instance.call('query', { sql: 'x'.repeat(4_001) }).result).toMatchObject({
      ok: false,
      error: { kind: 'invalid_arguments' },
    })
  })
})

describe('a tool that takes queries', () => {
  const refusal = (tool: Tool): string => {
    try {
      environment(draft, [tool])
    } catch (thrown) {
      if (isRlenvError(thrown) && thrown.code === 'RLENV_TOOL_INVALID') return thrown.message
      throw thrown
    }
    throw new Error('the tool was accepted')
  }

  test('tells callers that its argument is SQL, and how long it may be', () => {
    const definition = world.tools.find(({ name }) => name === 'query')
    expect(definition?.readOnly).toBe(true)
    expect(definition?.inputSchema.properties).toEqual({
      sql: { type: 'string', maxLength: 4_000, contentMediaType: 'application/sql' },
    })
    const own = queryTool(
      {},
      { inputSchema: { ...sqlArgument, properties: { sql: { type: 'string', maxLength: 9 } } } },
    )
    const bounded = environment(draft, [own]).open({ seed: 1 })
    expect(bounded.call('query', { sql: 'SELECT 1' }).result.ok).toBe(true)
    expect(bounded.call('query', { sql: 'SELECT 100' }).result.ok).toBe(false)
  })

  test('is refused at load time when its schema does not fit', () => {
    expect(refusal(queryTool({}, { effect: 'write' }))).toContain('query: takes a query, which only reads')
    expect(refusal(queryTool({ argument: 'text' }))).toContain('from text, which is no argument')
    expect(refusal(queryTool({}, { inputSchema: { ...sqlArgument, required: [] } }))).toContain('must be required')
    const typed = (sql: object) => queryTool({}, { inputSchema: { ...sqlArgument, properties: { sql: { ...sql } } } })
    expect(refusal(typed({ type: 'integer' }))).toContain('whose type is not string')
    expect(refusal(typed({ type: 'string', maxLength: 100_000 }))).toContain('at most 16384 are allowed')
  })

  test('is part of the format of bundles', () => {
    const written = queryTool({ limit: 5, visits: 1_000, deadlineMs: 100 })
    expect(toolSchema.parse(JSON.parse(JSON.stringify(written)))).toEqual(written)
    const wrong = { ...written, implementation: { ...written.implementation, rows: 5 } }
    expect(toolSchema.safeParse(wrong).success).toBe(false)
  })

  test('gets queries that it can answer where arguments are made up', () => {
    const instance = world.open({ seed: 1 })
    const random = RandomStream.of(1, 'arguments')
    const schema = world.tools.find(({ name }) => name === 'query')?.inputSchema ?? {}
    const options = { tables: ['orders', 'customers'] }
    for (let i = 0; i < 20; i++) {
      const args = generateArguments(schema, random, new ArgumentPool(world.initial), options)
      expect([args, instance.call('query', args).result.ok]).toEqual([args, true])
    }
    expect(instance.call('query', generateArguments(schema, random)).result.ok).toBe(true)
    instance.close()
  })
})
