import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutableEnvironment } from '../../../src/environment/executable-environment.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool, workshop, workshopData, workshopSchema } from '../workshop.ts'

beforeAll(loadSandbox)

/** Names of the tables that a statement's result depends on; null when that is not known. */
function readsOf(world: ExecutableEnvironment, sql: string): readonly string[] | null {
  const admission = world.registry.admit(sql)
  if (!admission.ok) throw new Error(admission.faults.join('; '))
  const { reads } = admission.statement
  return reads === null ? null : reads.map((table) => world.tables[table] as string).sort()
}

describe('what a statement reads', () => {
  test.each([
    ['SELECT name FROM customers WHERE id = 1', ['customers']],
    ['SELECT email FROM customers ORDER BY email', ['customers']],
    ['SELECT cents FROM big_orders', ['orders']],
    ['SELECT what FROM order_items WHERE order_id = 1', ['order_items']],
    ['SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id', ['customers', 'orders']],
    [
      'SELECT (SELECT count(*) FROM log) AS n, word FROM tags WHERE weight IN (SELECT id FROM orders)',
      ['log', 'orders', 'tags'],
    ],
    ['SELECT 1 AS one', []],
    ["SELECT body FROM notes WHERE notes MATCH 'first'", null],
    ["SELECT value FROM json_each('[1]')", null],
    ['SELECT c0 FROM notes_content', null],
  ])('%s', (sql, tables) => {
    const world = workshop()
    expect(readsOf(world, sql)).toEqual(tables)
    world.close()
  })
})

const script = (name: string, effect: Tool['effect']): Tool => ({
  ...sqlTool(name, {}, []),
  effect,
  implementation: { kind: 'script', file: `scripts/${name}.ts` },
})

const gone = { code: 'gone', message: 'Gone.' }
const count = (table: string): Tool =>
  sqlTool(`count_${table}`, {}, [{ kind: 'row', sql: `SELECT count(*) AS n FROM ${table}`, error: gone }])

/** The workshop's tables with tools that read what others, or they themselves, have written in roundabout ways. */
function roundabout(): ExecutableEnvironment {
  const tools: Tool[] = [
    ...['customers', 'orders', 'order_items', 'log', 'big_orders', 'notes'].map(count),
    sqlTool('find_note', { word: { type: 'string' } }, [
      { kind: 'rows', sql: 'SELECT body FROM notes WHERE notes MATCH @word' },
    ]),
    sqlTool('note', { body: { type: 'string' } }, [
      { kind: 'run', sql: 'INSERT INTO notes VALUES (@body)' },
      { kind: 'rows', sql: 'SELECT body FROM notes' },
    ]),
    sqlTool('order', { id: { type: 'integer' } }, [
      { kind: 'row', as: 'log', sql: 'SELECT count(*) AS before FROM log', error: gone },
      { kind: 'run', sql: 'INSERT INTO orders (id, customer_id, cents) VALUES (@id, 1, 5000)' },
      {
        kind: 'row',
        sql: 'SELECT (SELECT count(*) FROM log) - @log__before AS logged FROM orders LIMIT 1',
        error: gone,
      },
    ]),
    sqlTool('leave', { id: { type: 'integer' } }, [{ kind: 'run', sql: 'DELETE FROM customers WHERE id = @id' }]),
    sqlTool('fail', {}, [
      { kind: 'run', sql: "INSERT INTO log VALUES ('x', 1)" },
      { kind: 'row', sql: 'SELECT 1 AS one FROM log WHERE 0', error: gone },
    ]),
    script('write_then_read', 'write'),
    script('draw', 'read'),
  ]
  return environment(database(workshopSchema, workshopData), tools, {
    'scripts/write_then_read.ts': `export default (db) => {
      const before = db.all('SELECT message FROM log')
      db.run("INSERT INTO log VALUES ('from a script', 1)")
      return [before, db.all('SELECT message FROM log'), db.all('SELECT name FROM customers')]
    }`,
    'scripts/draw.ts': `export default (db) => db.all('SELECT id, random() AS r FROM customers')`,
  })
}

const calls: readonly (readonly [string, Record<string, string | number>])[] = [
  ['count_log', {}],
  ['draw', {}],
  ['fail', {}],
  ['count_log', {}],
  ['order', { id: 10 }],
  ['count_log', {}],
  ['count_big_orders', {}],
  ['count_customers', {}],
  ['note', { body: 'a second thought' }],
  ['find_note', { word: 'thought' }],
  ['count_notes', {}],
  ['leave', { id: 1 }],
  ['count_orders', {}],
  ['count_order_items', {}],
  ['write_then_read', {}],
  ['draw', {}],
]

describe('an instance that reads from the image what it has not written', () => {
  test.each(['clone', 'replay', 'auto'] as const)('as %s answers like a database of its own', (strategy) => {
    const world = roundabout()
    const plain = world.open({ seed: 5, strategy: 'clone', sharesReads: false })
    const subject = world.open({ seed: 5, strategy })
    const other = world.open({ seed: 6, strategy })
    for (const [tool, args] of calls) {
      other.call(tool, args)
      expect([tool, subject.call(tool, args)]).toEqual([tool, plain.call(tool, args)])
      const fork = subject.fork()
      expect(fork.query('SELECT count(*) AS n FROM log')).toEqual(plain.query('SELECT count(*) AS n FROM log'))
      fork.close()
    }
    expect(subject.diff()).toEqual(plain.verifyDiff())
    for (const instance of [subject, plain]) instance.reset()
    expect(subject.call('count_log', {})).toEqual(plain.call('count_log', {}))
    expect(subject.call('find_note', { word: 'thought' })).toEqual(plain.call('find_note', { word: 'thought' }))
    for (const instance of [subject, plain, other]) instance.close()
    world.close()
  })

  test('goes on when the shared connections are closed under it', () => {
    const world = roundabout()
    const instance = world.open({ seed: 1, strategy: 'clone' })
    const before = instance.call('count_customers', {})
    world.close()
    expect(instance.call('count_customers', {})).toEqual(before)
    instance.close()
    world.close()
  })
})

describe('a row looked up by its id', () => {
  const world = workshop()
  const slotOf = (sql: string): number => {
    const admission = world.registry.admit(sql)
    return admission.ok ? admission.statement.slot : Number.NaN
  }
  const whole = slotOf('SELECT * FROM customers WHERE id = @id')

  test.each(['SELECT * FROM customers WHERE id = @rowid', 'select "id", [name], `email` from "Customers" where ID=@x'])(
    '%s shares its prepared statement with others',
    (sql) => {
      expect(slotOf(sql)).toBe(whole)
    },
  )

  test.each([
    'SELECT * FROM customers WHERE id = @id LIMIT 1',
    'SELECT id, email, name FROM customers WHERE id = @id',
    'SELECT id, name FROM customers WHERE id = @id',
    'SELECT * FROM customers WHERE email = @id',
    'SELECT * FROM orders WHERE id = @id',
    'SELECT DISTINCT * FROM customers WHERE id = @id',
    "SELECT 'id', name, email FROM customers WHERE id = @id",
  ])('%s does not', (sql) => {
    expect(slotOf(sql)).not.toBe(whole)
  })

  test('is read from its column, not from the value that a word stands for', () => {
    const named = environment(
      database('CREATE TABLE t (id INTEGER PRIMARY KEY, "current_date" TEXT)', "INSERT INTO t VALUES (1, 'mine')"),
      [
        sqlTool('column', { id: { type: 'integer' } }, [
          { kind: 'row', sql: 'SELECT id, "current_date" FROM t WHERE id = @id', error: gone },
        ]),
        sqlTool('today', { id: { type: 'integer' } }, [
          { kind: 'row', sql: 'SELECT id, current_date FROM t WHERE id = @id', error: gone },
        ]),
      ],
    )
    const instance = named.open({ seed: 1 })
    expect(instance.call('column', { id: 1 }).result).toMatchObject({ content: { current_date: 'mine' } })
    expect(instance.call('today', { id: 1 }).result).toMatchObject({ content: { current_date: '2026-03-01' } })
    instance.close()
    named.close()
  })
})
