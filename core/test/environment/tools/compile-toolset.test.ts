import { describe, expect, test } from 'vitest'
import { isRlenvError } from '../../../src/errors/rlenv-error.ts'
import type { SqlStep, Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool, workshop, workshopData, workshopSchema } from '../workshop.ts'

const draft = database(workshopSchema, workshopData)
const error = { code: 'not_found', message: 'None.' }
const properties = { x: { type: 'integer' } }

function refusal(tools: readonly Tool[]): string {
  try {
    environment(draft, tools)
  } catch (thrown) {
    if (isRlenvError(thrown)) {
      expect(thrown.code).toBe('RLENV_TOOL_INVALID')
      return thrown.message
    }
    throw thrown
  }
  throw new Error('the tools were accepted')
}

const reading = (sql: string) => refusal([sqlTool('look', properties, [{ kind: 'rows', sql }])])
const writing = (sql: string) => refusal([sqlTool('change', properties, [{ kind: 'run', sql }])])

describe('admission of tools', () => {
  test.each([
    ['a second statement', 'UPDATE tags SET weight = 1; DELETE FROM log', 'more than one statement'],
    ['double-quoted text', 'UPDATE tags SET weight = 1 WHERE word = "Ana"', 'no such column: "Ana"'],
    ['another file', "ATTACH 'x.db' AS x", 'starts with ATTACH'],
    ['another file behind a comment', "/* x */ ATTACH 'x.db' AS x", 'starts with ATTACH'],
    ['a copy of the database', "VACUUM INTO '/tmp/x'", 'starts with VACUUM'],
    ['a setting', 'PRAGMA foreign_keys = OFF', 'starts with PRAGMA'],
    ['a transaction', 'COMMIT', 'starts with COMMIT'],
    ['a schema change', 'DROP TABLE log', 'starts with DROP'],
    ['an unknown table', 'DELETE FROM nowhere', 'no such table: nowhere'],
    ['a reading statement', 'SELECT 1', 'returns rows'],
    ['a statement that returns what it writes', 'DELETE FROM log RETURNING message', 'returns rows'],
    ['the sequence table', 'UPDATE sqlite_sequence SET seq = 0', 'names sqlite_sequence'],
    ['another kind of parameter', 'UPDATE tags SET weight = ?', 'not written as @name'],
    ['an unknown parameter', 'UPDATE tags SET weight = @y', '@y, which is neither an argument'],
    ['nothing', '-- only a comment', 'holds no statement'],
  ])('refuses to write with %s', (_what, sql, message) => {
    expect(writing(sql)).toContain(message)
    expect(writing(sql)).toContain('change: step 1')
  })

  test.each([
    [
      'recursion',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 5',
      'recursive',
    ],
    ['the schema', 'SELECT * FROM sqlite_master', 'names sqlite_master'],
    ['the schema, quoted', 'SELECT * FROM "sqlite_schema"', 'names sqlite_schema'],
    ['settings', "SELECT * FROM pragma_table_info('log') AS p", 'names pragma_table_info'],
    ['pages', 'SELECT * FROM dbstat', 'names dbstat'],
    ['memory', 'SELECT hex(zeroblob(1000000000))', 'calls zeroblob()'],
    ['formats of any width', "SELECT printf('%1000000000d', 1)", 'calls printf()'],
    ['extensions', "SELECT load_extension('x')", 'calls load_extension()'],
    ['the connection', 'SELECT last_insert_rowid()', 'calls last_insert_rowid()'],
    ['a write', 'DELETE FROM log', 'does not only read'],
    ['a write that returns rows', 'DELETE FROM log RETURNING message', 'does not only read'],
    ['too long a text', `SELECT '${'x'.repeat(20_000)}'`, 'characters long'],
  ])('refuses to read %s', (_what, sql, message) => {
    expect(reading(sql)).toContain(message)
  })

  test('bounds the work of a statement by its query plan', () => {
    const rows = Array.from({ length: 200 }, (_, i) => `(${i})`).join(',')
    const big = database(
      'CREATE TABLE t (x INTEGER PRIMARY KEY); CREATE TABLE u (y)',
      `INSERT INTO t VALUES ${rows}; INSERT INTO u VALUES ${rows}`,
    )
    const admit = (sql: string) => environment(big, [sqlTool('look', {}, [{ kind: 'rows', sql }])])
    const refused = /may visit .* rows/
    expect(() => admit('SELECT 1 FROM u a, u b, u c')).toThrow(refused)
    expect(() => admit('SELECT (SELECT count(*) FROM u b, u c WHERE b.y > a.y) FROM u a')).toThrow(refused)
    expect(() => admit('SELECT 1 FROM (SELECT a.y FROM u a, u b LIMIT 5000) AS d, u, u e')).toThrow(refused)
    admit('SELECT 1 FROM t a JOIN t b ON b.x = a.x JOIN t c ON c.x = b.x JOIN t d ON d.x = c.x')
    admit('SELECT a.y FROM u a, u b WHERE a.y < b.y')
    admit('SELECT (SELECT count(*) FROM u b WHERE b.y > a.y) FROM u a ORDER BY 1')
    admit('SELECT y FROM u UNION ALL SELECT x FROM t')
  })

  test('accepts trailing comments and spaces, views, full text, JSON and window functions', () => {
    const sqls = [
      'SELECT 1; -- done',
      '  /* first */ SELECT count(*) FROM big_orders;  ',
      "SELECT value FROM json_each('[1,2]')",
      "SELECT snippet(notes, 0, '[', ']', '…', 3) FROM notes WHERE notes MATCH 'first' ORDER BY bm25(notes)",
      'SELECT id, sum(cents) OVER (PARTITION BY customer_id ORDER BY id) FROM orders',
      "SELECT name, group_concat(label, ', '), round(avg(dollars), 2) FROM customers JOIN orders ON customer_id = customers.id GROUP BY name",
      "SELECT strftime('%Y', placed_at), coalesce(NULL, 'x') || substr('abc', 2), CASE WHEN 1 THEN 2 END FROM orders",
      "WITH late AS (SELECT * FROM orders WHERE placed_at < date('now', '-7 days')) SELECT count(*) FROM late",
      "SELECT name FROM customers WHERE name LIKE '%' || @x || '%' COLLATE NOCASE",
    ]
    environment(
      draft,
      sqls.map((sql, index) => sqlTool(`read_${index}`, properties, [{ kind: 'rows', sql }])),
    )
  })

  test('knows what a statement may write, through conflicts, cascades and triggers', () => {
    const { registry, tables } = workshop()
    const writes = (sql: string) => {
      const admission = registry.admit(sql)
      if (!admission.ok) throw new Error(admission.faults.join('; '))
      return admission.statement.writes.map((table) => tables[table])
    }
    expect(writes('SELECT * FROM orders')).toEqual([])
    expect(writes('INSERT INTO log VALUES (1, 2)')).toEqual(['log'])
    expect(writes('INSERT INTO orders (customer_id, cents) VALUES (1, 2)')).toEqual(['log', 'orders'])
    expect(writes('DELETE FROM customers')).toEqual(['customers', 'log', 'orders'])
    expect(writes('DELETE FROM log')).toEqual(['log'])
    expect(writes('REPLACE INTO customers VALUES (1, 2, 3)')).toEqual(['customers', 'orders'])
    expect(writes("INSERT INTO notes VALUES ('x')")).toEqual(['notes'])
    expect(writes('UPDATE order_items SET what = 1')).toEqual(['order_items'])
  })

  test('knows the one row that a statement can touch, and scans where it cannot know', () => {
    const { registry } = workshop()
    const point = (sql: string) => {
      const admission = registry.admit(sql)
      if (!admission.ok) throw new Error(admission.faults.join('; '))
      return admission.statement.point === null ? null : (admission.statement.point.parameter ?? 'inserted')
    }
    expect(point('INSERT INTO customers (name) VALUES (@x)')).toBe('inserted')
    expect(point('UPDATE customers SET name = @x WHERE id = @id;')).toBe('id')
    expect(point('DELETE FROM orders WHERE id = @id AND cents > (SELECT 1 OR 0)')).toBe('id')
    for (const sql of [
      'INSERT INTO orders (customer_id, cents) VALUES (1, @x)',
      'INSERT OR REPLACE INTO customers (id, name) VALUES (1, @x)',
      'INSERT INTO customers (id, name) VALUES (1, @x) ON CONFLICT DO UPDATE SET name = @x',
      'INSERT INTO order_items VALUES (1, 2, @x)',
      'INSERT INTO log VALUES (@x, @x)',
      'UPDATE customers SET id = @x WHERE id = @id',
      'UPDATE orders SET cents = @x WHERE id = @id OR cents = 1',
      'UPDATE orders SET cents = @x WHERE id = @id + 1',
      'UPDATE orders SET cents = @x WHERE customer_id = @id',
      'UPDATE orders SET cents = @x',
      'DELETE FROM customers WHERE id = @id',
    ]) {
      expect([sql, point(sql)]).toEqual([sql, null])
    }
  })

  test('names every tool that is wrong in one error', () => {
    const steps: SqlStep[] = [{ kind: 'rows', sql: 'SELECT 1' }]
    const message = refusal([
      sqlTool('verify', {}, steps),
      sqlTool('__secret', {}, steps),
      sqlTool('twice', {}, steps),
      sqlTool('twice', {}, steps),
      sqlTool('messages', {}, [{ kind: 'row', sql: 'SELECT 1', error: { code: 'x', message: 'No {thing}.' } }]),
      sqlTool('conditions', {}, [{ kind: 'rows', sql: 'SELECT 1', when: 'thing' }]),
      { ...sqlTool('quiet', {}, [{ kind: 'run', sql: 'DELETE FROM log' }]), effect: 'read' },
      sqlTool('early', {}, [
        { kind: 'rows', sql: 'SELECT @found__id' },
        { kind: 'row', sql: 'SELECT id FROM orders', as: 'found', error },
      ]),
      { ...sqlTool('scripted', {}, steps), implementation: { kind: 'script', file: 'tools/missing.ts' } },
      {
        ...sqlTool('schema', {}, steps),
        inputSchema: { type: 'object', properties: { x: { $ref: '#/$defs/nowhere' } } },
      },
    ])
    expect(message).toMatch(/^9 faults/)
    for (const part of [
      'verify: has a reserved name',
      '__secret: has a reserved name',
      'twice: has the name of another tool',
      'messages: step 1 has {thing} in its message',
      'conditions: step 1 asks for thing',
      'quiet: step 1 "DELETE FROM log" writes, but',
      'early: step 1 "SELECT @found__id" has @found__id',
      'scripted: there is no script tools/missing.ts',
      'schema: input schema',
    ]) {
      expect(message).toContain(part)
    }
  })
})
