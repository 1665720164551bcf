import { afterAll, describe, expect, test } from 'vitest'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import type { ToolError } from '../../../src/vocabulary/tool.ts'
import { database, environment, queryTool, sqlTool, workshopData, workshopSchema } from '../workshop.ts'

const world = environment(database(workshopSchema, workshopData), [
  queryTool(),
  sqlTool('log', { message: { type: 'string' } }, [{ kind: 'run', sql: 'INSERT INTO log VALUES (@message, 1)' }]),
])
const instance = world.open({ seed: 1 })
afterAll(() => world.close())

/** What the author of a query is told that must not run. */
function refusal(asked: EnvironmentInstance, sql: string): ToolError {
  const { result, diff } = asked.call('query', { sql })
  expect(diff).toEqual([])
  if (result.ok) throw new Error(`answered ${JSON.stringify(result.content).slice(0, 200)}`)
  return result.error
}

const repeated = (count: number, part: (at: number) => string, between: string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(between)
const doubled = (levels: number) =>
  Array.from({ length: levels }).reduce<string>(
    (inner) => `SELECT s||s AS s FROM (${inner})`,
    'SELECT message AS s FROM log',
  )
const rowsOf = (name: string, count: number) =>
  `${name}(x) AS MATERIALIZED (VALUES ${repeated(count, (at) => `(${at})`, ',')})`

/** By defence: what is tried, the SQL that tries it, and what its author is told. */
const refused: Readonly<Record<string, readonly (readonly [attack: string, sql: string, told: RegExp])[]>> = {
  'first word': [
    ['ATTACH', "ATTACH '/tmp/x.db' AS x", /starts with ATTACH/],
    ['ATTACH behind comments', "/* SELECT */ -- SELECT\n ATTACH '/tmp/x.db' AS x", /starts with ATTACH/],
    ['PRAGMA', 'PRAGMA writable_schema = ON', /starts with PRAGMA/],
    ['VACUUM INTO', "VACUUM INTO '/tmp/copy.db'", /starts with VACUUM/],
    ['COMMIT', 'COMMIT', /starts with COMMIT/],
    ['SAVEPOINT', 'SAVEPOINT s', /starts with SAVEPOINT/],
    ['CREATE TEMP VIEW', 'CREATE TEMP VIEW log AS SELECT 1', /starts with CREATE/],
    ['DROP VIEW', 'DROP VIEW temp.log', /starts with DROP/],
    ['DELETE', 'DELETE FROM log', /starts with DELETE/],
    ['INSERT with RETURNING', 'INSERT INTO log VALUES (1, 2) RETURNING message', /starts with INSERT/],
    ['EXPLAIN', 'EXPLAIN SELECT 1', /starts with EXPLAIN/],
  ],
  'reading connection': [
    ['DELETE behind WITH', 'WITH a AS (SELECT 1) DELETE FROM log', /cannot modify log because it is a view/],
    ['UPDATE behind WITH', 'WITH a AS (SELECT 1) UPDATE log SET extra = 1 RETURNING 1', /because it is a view/],
    ['INSERT past the view', 'WITH a AS (SELECT 1) INSERT INTO main.log VALUES (1, 2) RETURNING 1', /behind main\./],
    ['a write to a full-text table', "WITH a AS (SELECT 1) INSERT INTO notes VALUES ('x') RETURNING 1", /only read/],
  ],
  'one statement a text': [
    ['a second statement', 'SELECT 1; DROP TABLE log', /more than one statement/],
    ['a second statement behind a comment', 'SELECT 1 /* ; */ ; -- \n DELETE FROM log', /more than one statement/],
    ['a NUL character', 'SELECT 1\0; DELETE FROM log', /NUL/],
  ],
  'refused names': [
    ['the schema table', 'SELECT sql FROM sqlite_master', /names sqlite_master/],
    ['the schema table, quoted', 'SELECT sql FROM [sqlite_schema]', /names sqlite_schema/],
    ['the schema of the views', 'SELECT sql FROM sqlite_temp_master', /names sqlite_temp_master/],
    ['a pragma as a table', "SELECT * FROM pragma_table_info('log')", /names pragma_table_info/],
    ['pages', 'SELECT * FROM dbstat', /names dbstat/],
    ['the table behind the view', 'SELECT * FROM main.log', /behind main\./],
    ['the same in quotes', 'SELECT * FROM "main".log', /behind main\./],
    ['the same in brackets', 'SELECT * FROM [MAIN] . log', /behind main\./],
    ['the same as a text', "SELECT * FROM 'main'.log", /behind main\./],
    ['the same around a comment', 'SELECT * FROM main /* x */ . log', /behind main\./],
    ['the view by its database', 'SELECT * FROM temp.log', /behind temp\./],
    ['the counting itself', 'SELECT visit_row(1)', /names visit_row/],
    ['the name of a counted table', 'SELECT 1 FROM (VALUES (1)) AS "visited:1"', /names visited:1/],
  ],
  'kind of table': [
    ['json_each twice', "SELECT 1 FROM json_each('[1]') a, json_each('[1]') b", /ordinary tables/],
    ['a full-text table', 'SELECT * FROM notes', /ordinary tables/],
    ['its query', "SELECT * FROM notes WHERE notes MATCH 'a'", /ordinary tables/],
    ['its shadow', 'SELECT * FROM notes_content', /ordinary tables/],
    ['a series', 'SELECT * FROM generate_series(1, 1000000000)', /names generate_series/],
  ],
  'admitted functions': [
    ['load_extension()', "SELECT load_extension('/tmp/x.so')", /load_extension/],
    ['readfile()', "SELECT readfile('/etc/passwd')", /readfile/],
    ['zeroblob()', 'SELECT zeroblob(1000000000)', /zeroblob/],
    ['randomblob()', 'SELECT randomblob(500000000)', /randomblob/],
    ['printf() of any width', "SELECT printf('%500000000d', 1)", /printf/],
    ['the same by a quoted name', `SELECT "printf"('%500000000d', 1)`, /without quotes/],
    ['another rollout’s row id', 'SELECT last_insert_rowid()', /last_insert_rowid/],
    ['JSON of all rows', 'SELECT json_group_array(a.message) FROM log a, log b', /return rows instead/],
  ],
  'query plan': [
    [
      'a recursive count',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n',
      /recursive/,
    ],
    [
      'recursion without its keyword',
      'WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
      /recursive/,
    ],
    ['listed values three times', `WITH ${rowsOf('v', 400)} SELECT count(*) FROM v a, v b, v c`, /subqueries yield/],
    [
      'listed values three times without a name',
      `SELECT count(*) FROM ${repeated(3, (at) => `(VALUES ${repeated(200, (row) => `(${row})`, ',')}) AS v${at}`, ', ')}`,
      /subqueries yield/,
    ],
    [
      'named queries that each name the one before them twice',
      `WITH q0 AS (SELECT message FROM log LIMIT 1), ${repeated(14, (at) => `q${at + 1} AS (SELECT a.message FROM q${at} a, q${at} b)`, ', ')} SELECT count(*) FROM q14`,
      /comes to \d+ tables once the queries that it names are written into it|copies of one column/,
    ],
    [
      'the same by two names',
      `WITH l0 AS (SELECT message FROM log LIMIT 1), r0 AS (SELECT message FROM log LIMIT 1), ${repeated(14, (at) => `l${at + 1} AS (SELECT l.message FROM l${at} l, r${at} r), r${at + 1} AS (SELECT message FROM l${at + 1} LIMIT 1)`, ', ')} SELECT count(*) FROM l14`,
      /comes to \d+ tables once the queries that it names are written into it/,
    ],
    [
      'listed values twice, for every row',
      `WITH ${rowsOf('v', 600)} SELECT (SELECT count(*) FROM v a, v b) FROM log`,
      /subqueries yield/,
    ],
  ],
  'rows of subqueries': [
    [
      'a join of equal keys',
      `WITH m AS MATERIALIZED (SELECT 1 AS k FROM orders a, orders b) SELECT count(*) FROM ${repeated(8, (at) => `m AS m${at}`, ' JOIN ').replaceAll(/JOIN (m AS (m\d))/g, 'JOIN $1 ON $2.k = m0.k')}`,
      /subqueries yield/,
    ],
    [
      'a right join of them',
      `SELECT count(*) FROM ${repeated(8, (at) => `(SELECT DISTINCT a.id FROM orders a, orders b) AS m${at}`, ' RIGHT JOIN ')}`,
      /subqueries yield/,
    ],
    [
      'a table whose rows cannot be counted',
      `SELECT count(*) FROM ${repeated(20, (at) => `settings AS s${at}`, ', ')}`,
      /subqueries yield/,
    ],
  ],
  'bounds of windows': [
    [
      'a window without its own row',
      'SELECT sum(cents) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW) FROM orders',
      /excludes rows/,
    ],
    ['the median of a window', 'SELECT median(cents) OVER (ORDER BY id) FROM orders', /calls median\(\) over a window/],
    [
      'joined texts of a window',
      'SELECT group_concat(label) OVER (ORDER BY id) FROM orders',
      /group_concat\(\) over a window/,
    ],
  ],
  'literal searches': [
    ['a pattern that repeats itself', `SELECT 1 FROM log WHERE message LIKE '%${'a'.repeat(900)}%'`, /repeat itself/],
    [
      'a pattern in parts',
      `SELECT 1 FROM log WHERE message LIKE '${'a'.repeat(30)}' || '${'a'.repeat(30)}'`,
      /repeat itself/,
    ],
    ['a pattern from a column', 'SELECT 1 FROM log WHERE message LIKE extra', /more than literal text/],
    [
      'a pattern that is calculated',
      "SELECT 1 FROM log WHERE message GLOB replace('a', 'a', 'aaaa')",
      /more than literal text/,
    ],
    ['LIKE as a function', 'SELECT like(extra, message) FROM log', /without brackets/],
    ['characters of a column to trim', 'SELECT trim(message, extra) FROM log', /more than literal text/],
    [
      'many characters to trim',
      `SELECT trim(message, '${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}') FROM log`,
      /trimmed away/,
    ],
  ],
  'bounds of texts': [
    ['a text doubled by nested queries', doubled(13), /copies of one column/],
    ['JSON with an indent of any length', "SELECT json_pretty(extra, '    ') FROM log", /return the value as it is/],
    ['two JSON objects in one', 'SELECT json_patch(extra, extra) FROM log', /return both values/],
    ['hex() of hex()', `SELECT ${'hex('.repeat(30)}'x'${')'.repeat(30)}`, /hex\(\) or quote\(\) 30 times/],
  ],
  'parser’s limits': [['a deep expression', `SELECT 1${'+1'.repeat(1_500)}`, /Expression tree is too large/]],
  parameters: [
    ['a named one', 'SELECT @sql', /parameter @sql/],
    ['a numbered one', 'SELECT ?1', /parameter \?1/],
    ['others', 'SELECT :a, $b', /parameter :a; .*parameter \$b/],
  ],
}

describe('a hostile query', () => {
  for (const [defence, tried] of Object.entries(refused)) {
    test.each(tried)(`that tries %s is held by the ${defence}`, (_attack, sql, told) => {
      const started = process.cpuUsage()
      const { kind, code, message } = refusal(instance, sql)
      expect([kind, code]).toEqual(['business_rejection', 'invalid_query'])
      expect(message).toMatch(told)
      expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
    })
  }

  test('that is very long is held by the schema of the tool', () => {
    expect(refusal(instance, `SELECT 1 WHERE 1 IN (${'1,'.repeat(500_000)}1)`).kind).toBe('invalid_arguments')
    const wide = environment(database('CREATE TABLE t (x)'), [
      queryTool(
        {},
        {
          inputSchema: {
            type: 'object',
            properties: { sql: { type: 'string', maxLength: 16_384 } },
            required: ['sql'],
          },
        },
      ),
    ]).open({ seed: 1 })
    expect(wide.call('query', { sql: `SELECT 1 AS one WHERE 1 IN (${'1,'.repeat(8_000)}1)` }).result).toEqual({
      ok: true,
      content: [{ one: 1 }],
    })
  })

  test('leaves the world as it was, and the next query works', () => {
    for (const [, sql] of Object.values(refused).flat()) refusal(instance, sql)
    expect(instance.verifyDiff()).toEqual([])
    expect(instance.call('query', { sql: 'SELECT count(*) AS n FROM log' }).result).toEqual({
      ok: true,
      content: [{ n: 5 }],
    })
  })

  test('is refused alike on a state of its own', () => {
    const written = world.open({ seed: 1 })
    written.call('log', { message: 'more' })
    expect(written.call('query', { sql: 'SELECT count(*) AS n FROM log' }).result).toEqual({
      ok: true,
      content: [{ n: 6 }],
    })
    for (const [, sql, told] of Object.values(refused).flat()) expect(refusal(written, sql).message).toMatch(told)
    written.close()
  })
})

/** 400 rows with 10,000 characters each. */
const large = environment(
  database(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT); CREATE VIEW past AS SELECT count(*) AS n FROM main.t a, main.t b, main.t c;',
    `INSERT INTO t VALUES ${repeated(400, (at) => `(${at}, '${'a'.repeat(10_000)}')`, ',')};`,
  ),
  [queryTool()],
)
afterAll(() => large.close())

describe('a query that runs away', () => {
  const asked = large.open({ seed: 1 })

  test.each([
    ['a cross join', 'SELECT count(*) FROM t a, t b, t c', 'query_too_large'],
    ['a cross join in a view of the world', 'SELECT n FROM past', 'query_too_large'],
    [
      'a correlated subquery',
      'SELECT sum((SELECT count(*) FROM t b WHERE b.id < a.id + 400)) FROM t a',
      'query_too_large',
    ],
    ['a join without a key', 'SELECT count(*) FROM t a JOIN t b ON a.id + b.id = 7', 'query_too_large'],
    ['joined texts of everything', 'SELECT group_concat(s) FROM t', 'statement_failed'],
    ['joined texts of a cross join', 'SELECT group_concat(a.id) FROM t a, t b', 'statement_failed'],
    ['replace() that multiplies', `SELECT replace(s, 'a', '${'b'.repeat(1_000)}') FROM t`, 'statement_failed'],
    ['a row that nobody could read', `SELECT ${repeated(11, () => 's', '||')} AS x FROM t`, 'query_too_large'],
    ['a number beyond all integers', 'SELECT sum(9223372036854775807) FROM t', 'statement_failed'],
  ])('as %s does is ended, as an error of its author', (_what, sql, code) => {
    const started = process.cpuUsage()
    const error = refusal(asked, sql)
    expect([error.kind, error.code]).toEqual(['business_rejection', code])
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
    expect(asked.call('query', { sql: 'SELECT count(*) AS n FROM t' }).result).toEqual({
      ok: true,
      content: [{ n: 400 }],
    })
  })
})
