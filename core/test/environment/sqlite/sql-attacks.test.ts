import { describe, expect, test } from 'vitest'
import { hangingSql } from '../fixtures/hanging-attacks.ts'
import { database, environment, sqlTool, workshop, workshopData, workshopSchema } from '../workshop.ts'

const shared = workshop()

/** Why a text is not admitted. */
function refusal(sql: string, { registry } = shared): string {
  const admission = registry.admit(sql)
  return admission.ok ? 'admitted' : admission.faults.join('; ')
}

const doubled = (levels: number, column = 's') =>
  Array.from({ length: levels }).reduce<string>(
    (inner) => `SELECT ${column}||${column} AS ${column} FROM (${inner})`,
    `SELECT 'x' AS ${column}`,
  )

const chain = (levels: number) => {
  const steps = Array.from({ length: levels }, (_, level) => {
    return `c${level} AS MATERIALIZED (SELECT s||s AS s FROM ${level === 0 ? "(SELECT 'x' AS s)" : `c${level - 1}`})`
  })
  return `WITH ${steps.join(', ')} SELECT length(s) FROM c${levels - 1}`
}

/** By defence: what is tried, the SQL that tries it, and what its author is told. */
const refused: Readonly<Record<string, readonly (readonly [attack: string, sql: string, told: RegExp])[]>> = {
  'first word': [
    ['ATTACH', "ATTACH '/tmp/x.db' AS x", /starts with ATTACH/],
    ['ATTACH behind comments', "/* a */ -- b\n ATTACH '/tmp/x.db' AS x", /starts with ATTACH/],
    ['ATTACH behind a byte order mark', "\uFEFFATTACH '/tmp/x.db' AS x", /starts with ATTACH/],
    ['DETACH', 'DETACH x', /starts with DETACH/],
    ['BEGIN', 'BEGIN', /starts with BEGIN/],
    ['COMMIT', 'COMMIT', /starts with COMMIT/],
    ['SAVEPOINT', 'SAVEPOINT s', /starts with SAVEPOINT/],
    ['ROLLBACK TO', 'ROLLBACK TO tool_call', /starts with ROLLBACK/],
    ['PRAGMA', 'PRAGMA writable_schema = ON', /starts with PRAGMA/],
    ['VACUUM INTO', "VACUUM INTO '/tmp/copy.db'", /starts with VACUUM/],
    ['CREATE TABLE', 'CREATE TABLE t (x)', /starts with CREATE/],
    ['CREATE TEMP TRIGGER', 'CREATE TEMP TRIGGER t AFTER INSERT ON log BEGIN SELECT 1; END', /starts with CREATE/],
    ['DROP', 'DROP TABLE log', /starts with DROP/],
    ['ALTER', 'ALTER TABLE log ADD COLUMN z', /starts with ALTER/],
    ['ANALYZE', 'ANALYZE', /starts with ANALYZE/],
    ['REINDEX', 'REINDEX', /starts with REINDEX/],
    ['EXPLAIN', 'EXPLAIN DELETE FROM log', /starts with EXPLAIN/],
  ],
  'one statement a text': [['a second statement', 'SELECT 1; DROP TABLE log', /more than one statement/]],
  'refused names': [
    ['the schema table', 'SELECT sql FROM sqlite_master', /names sqlite_master/],
    ['the schema table, quoted', 'SELECT sql FROM [sqlite_schema]', /names sqlite_schema/],
    ['a write to the schema table', "UPDATE sqlite_master SET sql = ''", /names sqlite_master/],
    ['the sequence table', 'UPDATE sqlite_sequence SET seq = 99', /names sqlite_sequence/],
    ['pages', 'SELECT * FROM dbstat', /names dbstat/],
    ['a pragma as a table', "SELECT * FROM pragma_table_info('log')", /names pragma_table_info/],
  ],
  'admitted functions': [
    ['load_extension()', "SELECT load_extension('/tmp/x.so')", /load_extension/],
    ['fts3_tokenizer()', "SELECT fts3_tokenizer('simple')", /fts3_tokenizer/],
    ['readfile()', "SELECT readfile('/etc/passwd')", /readfile/],
    ['zeroblob()', 'SELECT zeroblob(1000000000)', /zeroblob/],
    ['randomblob()', 'SELECT randomblob(500000000)', /randomblob/],
    ['hex(zeroblob())', 'SELECT hex(zeroblob(250000000))', /zeroblob/],
    ['printf() of any width', "SELECT printf('%500000000d', 1)", /printf/],
    ['format() of any width', "SELECT format('%500000000d', 1)", /format/],
    ['another rollout’s row id', 'SELECT last_insert_rowid()', /last_insert_rowid/],
    ['another rollout’s changes', 'SELECT total_changes()', /total_changes/],
  ],
  'query plan': [
    ['a recursive count', hangingSql['a recursive count without end'] ?? '', /recursive/],
    [
      'a recursive INSERT',
      'INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i FROM n',
      /recursive/,
    ],
    [
      'a recursive ORDER BY',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n ORDER BY 1) SELECT i FROM n',
      /recursive/,
    ],
    ['a cross join', hangingSql['a cross join of everything'] ?? '', /may visit/],
    [
      'json_each four times',
      "SELECT 1 FROM json_each('[1]') a, json_each('[1]') b, json_each('[1]') c, json_each('[1]') d",
      /may visit/,
    ],
  ],
  'length of text': [
    ['half a million values', `SELECT 1 WHERE 1 IN (${'1,'.repeat(500_000)}1)`, /characters long/],
    ['a literal of 20,000 characters', `SELECT '${'x'.repeat(20_000)}'`, /characters long/],
  ],
  'parser’s limits': [
    ['a deep expression', `SELECT 1${'+1'.repeat(3_000)}`, /Expression tree is too large/],
    ['600 SELECTs in one', `SELECT 1 ${'UNION ALL SELECT 1 '.repeat(600)}`, /too many terms/],
  ],
  'bound on repetition': [
    ['a text doubled by nested queries', `SELECT length(s) FROM (${doubled(40)})`, /copies of one column/],
    ['a text doubled by a chain of queries', chain(40), /copies of one column/],
    ['a number doubled by nested queries', doubled(40, 'n').replaceAll('||', '+'), /copies of one column/],
    ['hex() of hex() of hex()', `SELECT ${'hex('.repeat(30)}'x'${')'.repeat(30)}`, /hex\(\) or quote\(\) 30 times/],
    [
      'joined texts joined again',
      Array.from({ length: 6 }).reduce<string>(
        (inner) => `SELECT group_concat(t.s) AS s FROM (${inner}) AS t, log`,
        "SELECT 'x' AS s",
      ),
      /joins texts of many rows in 6 queries/,
    ],
  ],
}

describe('hostile SQL', () => {
  for (const [defence, tried] of Object.entries(refused)) {
    test.each(tried)(`that tries %s is held by the ${defence} at admission`, (_attack, sql, told) => {
      const started = process.cpuUsage()
      expect(refusal(sql)).toMatch(told)
      const { user } = process.cpuUsage(started)
      expect(user).toBeLessThan(1_000_000)
    })
  }

  test('that doubles its columns through views is held by the bound on repetition', () => {
    const views = Array.from({ length: 30 }, (_, level) => {
      return `CREATE VIEW v${level + 1} AS SELECT s||s AS s FROM v${level};`
    })
    const schema = (levels: number) =>
      `CREATE TABLE t (s TEXT); CREATE VIEW v0 AS SELECT s FROM t; ${views.slice(0, levels).join('\n')}`
    expect(() => environment(database(schema(30)))).toThrow(/copies of one column/)
    const world = environment(database(schema(8)))
    expect(refusal('SELECT s FROM v8', world)).toBe('admitted')
    expect(refusal(`SELECT s FROM (${doubled(6).replace("'x' AS s", 's FROM v8')})`, world)).toMatch(
      /copies of one column/,
    )
  })

  test('that writes through what only reads is held by its kind, whatever the driver calls it', () => {
    const write = (sql: string) => () =>
      environment(database('CREATE TABLE log (m)'), [sqlTool('look', {}, [{ kind: 'rows', sql }])])
    for (const sql of ['DELETE FROM log RETURNING m', 'DELETE FROM log', 'INSERT INTO log VALUES (1) RETURNING m'])
      expect(write(sql)).toThrow('does not only read')
  })

  test('that multiplies texts by replace() is held by the length of its result, as a refusal', () => {
    const world = environment(database('CREATE TABLE t (s TEXT)', "INSERT INTO t VALUES ('aaaa')"), [
      sqlTool('swap', { from: { type: 'string' }, to: { type: 'string' } }, [
        {
          kind: 'rows',
          sql: 'SELECT length(replace(replace(replace(s, @from, @to), @from, @to), @from, @to)) AS n FROM t',
        },
      ]),
    ])
    const instance = world.open({ seed: 1 })
    expect(instance.call('swap', { from: 'a', to: 'a'.repeat(20) }).result).toEqual({
      ok: true,
      content: [{ n: 32_000 }],
    })
    expect(instance.call('swap', { from: 'a', to: 'a'.repeat(2_000) }).result).toMatchObject({
      ok: false,
      error: { kind: 'business_rejection', message: expect.stringMatching(/at most 200000 are allowed/) },
    })
    instance.close()
  })

  test('replace() answers as SQLite’s own does', () => {
    const { base } = shared
    const own = new (base.database.constructor as new (path: string) => typeof base.database)(':memory:')
    for (const call of [
      "replace('abcabc', 'b', 'xyz')",
      "replace('abc', '', 'x')",
      "replace(NULL, 'a', 'b')",
      "replace('a', NULL, 'b')",
      "replace('a', 'a', NULL)",
      "replace(1221, 2, 'x')",
      "replace(1.50, '.5', 7)",
      'replace(9007199254740993, 3, 4)',
      "replace(x'616263', 'b', x'ff')",
      "replace('aaa', 'aa', 'b')",
      "replace('é→é', 'é', '→→')",
    ]) {
      const sql = `SELECT quote(${call}), typeof(${call})`
      expect([call, base.database.prepare(sql).raw().get()]).toEqual([call, own.prepare(sql).raw().get()])
    }
    own.close()
  })

  test('that fills the database is held by its number of pages, and the world goes on', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => `(${at})`).join()
    const schema = 'CREATE TABLE t (s TEXT); CREATE TABLE hundred (n INTEGER PRIMARY KEY)'
    const world = environment(database(schema, `INSERT INTO hundred VALUES ${hundred}`), [
      sqlTool('store', { s: { type: 'string', maxLength: 2 ** 20 } }, [
        { kind: 'run', sql: 'INSERT INTO t SELECT @s FROM hundred' },
      ]),
      sqlTool('count', {}, [{ kind: 'rows', sql: 'SELECT count(*) AS n FROM t' }]),
    ])
    const instance = world.open({ seed: 1, strategy: 'clone' })
    const { result } = instance.call('store', { s: 'x'.repeat(900_000) })
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining('database or disk is full') } })
    expect(instance.call('store', { s: 'x' }).result.ok).toBe(true)
    expect(instance.call('count', {}).result).toEqual({ ok: true, content: [{ n: 100 }] })
    instance.close()
  })

  test('with patterns of many wildcards takes no time worth mentioning', () => {
    const long = 'a'.repeat(3_000)
    const started = process.cpuUsage()
    expect(shared.initial.query(`SELECT '${long}' LIKE '%a%a%a%a%a%a%a%b' AS x`)).toEqual([{ x: 0 }])
    expect(shared.initial.query(`SELECT '${long}' GLOB '*a*a*a*a*a*a*a*b' AS x`)).toEqual([{ x: 0 }])
    expect(process.cpuUsage(started).user).toBeLessThan(500_000)
  })

  test('of an ordinary tool stays admitted', () => {
    const world = environment(database(workshopSchema, workshopData))
    for (const sql of [
      'SELECT o.id, o.cents, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id IN (SELECT id FROM big_orders WHERE cents > 3)',
      "SELECT replace(replace(replace(lower(name), ' ', ''), '-', ''), '.', '') AS plain FROM customers",
      'SELECT name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n, (SELECT group_concat(o.id) FROM orders o WHERE o.customer_id = c.id) AS ids FROM customers c',
      'WITH spent AS (SELECT customer_id, sum(cents) AS cents FROM orders GROUP BY customer_id), ranked AS (SELECT customer_id, cents, rank() OVER (ORDER BY cents DESC) AS place FROM spent) SELECT c.name, r.cents, r.place FROM ranked r JOIN customers c ON c.id = r.customer_id ORDER BY r.place',
    ])
      expect(refusal(sql, world)).toBe('admitted')
  })
})
