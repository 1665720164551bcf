import { afterAll, describe, expect, test } from 'vitest'
import { database, environment, queryTool, sqlArgument } from '../workshop.ts'

const deadlineMs = 50
/** Longest that a query may take, vetting included, on a busy machine. */
const mostMs = 1_500

const repeated = (count: number, part: (at: number) => string, between: string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(between)

/** 400 rows with a text of 10,000 characters and a number of 600 digits each, and a note full of hits. */
const draft = database(
  `CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT, digits TEXT);
    CREATE VIEW doubled AS SELECT id, s || s AS s FROM t;
    CREATE VIRTUAL TABLE notes USING fts5(body);`,
  `INSERT INTO t VALUES ${repeated(400, (at) => `(${at}, '${'a'.repeat(10_000)}', '${'7'.repeat(600)}')`, ',')};
    INSERT INTO notes VALUES ('${'hit '.repeat(5_000)}');`,
)
const world = environment(draft, [
  queryTool(
    { deadlineMs, visits: 1_000_000_000 },
    { inputSchema: { ...sqlArgument, properties: { sql: { type: 'string', maxLength: 16_384 } } } },
  ),
])
const instance = world.open({ seed: 1 })
afterAll(() => world.close())

/** 80,000 times `a`, made by a query. */
const made = `replace('${'a'.repeat(200)}', 'a', '${'a'.repeat(400)}')`
const half = `replace('${'a'.repeat(100)}', 'a', '${'a'.repeat(400)}')`
const few = (name: string, rows: number) => `(VALUES ${repeated(rows, (at) => `(${at})`, ',')}) AS ${name}`
const kept = 'WITH k AS MATERIALIZED (SELECT s, digits FROM t)'

const attacks: Readonly<Record<string, string>> = {
  'instr() fourteen times in a text that was made': `WITH k AS MATERIALIZED (SELECT ${made} AS s, ${half} || 'b' AS p) SELECT ${repeated(14, (at) => `instr(s || ${at}, p)`, '+')} FROM k`,
  'instr() for each of some values': `WITH k AS MATERIALIZED (SELECT ${made} AS s, ${half} || 'b' AS p) SELECT sum(instr(s, p || v.column1)) FROM k, ${few('v', 200)}`,
  'instr() of stored texts': `SELECT ${repeated(500, () => "instr(s, s || 'b')", '+')} FROM t`,
  'instr() of bytes': `SELECT ${repeated(200, () => "instr(CAST(s AS BLOB), CAST(s || 'b' AS BLOB))", '+')} FROM t`,
  'replace() of a long text': `SELECT ${repeated(200, () => "length(replace(s, substr(s, 1, 5000) || 'b', 'c'))", '+')} FROM t`,
  'replace() for each of some values': `SELECT sum(length(replace(a.column1 || '${'a'.repeat(3_000)}', 'a', 'bb'))) FROM ${few('a', 300)}, ${few('b', 300)}`,
  'dates of values': `SELECT count(date(a.column1, '+' || b.column1 || ' days')) FROM ${few('a', 500)}, ${few('b', 500)}`,
  'strftime() with a long format': `SELECT ${repeated(200, () => "length(strftime(replace(s, 'a', '%J'), 1))", '+')} FROM t`,
  'LIKE for each of some values': `WITH k AS MATERIALIZED (SELECT ${made} AS s) SELECT count(*) FROM k, ${few('v', 400)} WHERE s || v.column1 LIKE '%${'a'.repeat(30)}b%'`,
  'LIKE of stored texts': `SELECT ${repeated(200, (at) => `(s LIKE '%${'a'.repeat(28)}b${at}%')`, '+')} FROM t`,
  'GLOB with a set of three thousand': `SELECT count(*) FROM (SELECT s FROM t LIMIT 1) WHERE ${repeated(5, () => `s GLOB '*[${repeated(3_000, (at) => String.fromCharCode(0x4e00 + at), '')}]b'`, ' OR ')}`,
  'trim() of many characters': `SELECT ${repeated(300, () => "length(rtrim(s, 'bcdefghijklmnopa'))", '+')} FROM t`,
  'upper() within upper()': `SELECT length(${'upper(lower('.repeat(400)}s${'))'.repeat(400)}) FROM t`,
  'a comparison of stored texts that were kept': `WITH k AS MATERIALIZED (SELECT s || id AS s FROM t) SELECT count(*) FROM k a, k b, ${few('v', 4)} WHERE a.s > b.s`,
  'a comparison without case': `${kept} SELECT count(*) FROM k a, k b WHERE a.s = b.s || 'b' COLLATE NOCASE`,
  'a comparison of texts that were made': `SELECT count(*) FROM ${few('a', 150)}, ${few('b', 150)} WHERE ${made} || a.column1 > ${made} || b.column1`,
  'joining texts that were kept': `${kept} SELECT count(*) FROM k a, k b WHERE a.s || b.s = 'b'`,
  'sums of long numbers': `${kept} SELECT count(*) FROM k a, k b, ${few('v', 3)} WHERE a.digits + b.digits < 0`,
  'a text doubled by a view and nested queries': `WITH ${repeated(9, (at) => `d${at} AS (SELECT s || s AS s FROM ${at === 0 ? 'doubled' : `d${at - 1}`})`, ', ')} SELECT length(s) FROM d8`,
  'a text joined in a nested query and around it': `SELECT (SELECT length(${repeated(40, () => 'q.s', '||')})) FROM (SELECT ${repeated(40, () => 's', '||')} AS s FROM t) AS q`,
  'a text joined by its alias': `SELECT ${repeated(30, () => 's', '||')} AS x FROM t WHERE length(${repeated(200, () => 'x', '||')}) < 0`,
  'concat_ws() of long texts': `SELECT length(concat_ws(s${repeated(500, () => ', s', '')})) FROM t`,
  'JSON of long texts': `SELECT length(json_array(${repeated(800, () => 's', ', ')})) FROM t`,
  'JSON that is read again and again': `SELECT ${repeated(300, () => "json_extract('[' || digits || '0]', '$[#-1]')", ' + ')} FROM t`,
  'one JSON value with many paths': `WITH k AS MATERIALIZED (SELECT '[' || group_concat('${repeated(80, () => '1', ',')}') || ']' AS j FROM t) SELECT json_extract(j${repeated(900, () => ", '$[#-1]'", '')}) FROM k`,
  'a sort of long texts': 'SELECT a.id FROM t a, t b ORDER BY a.s, b.id',
  'excerpts of a note full of hits':
    "SELECT snippet(notes, 0, '<', '>', '', 60), highlight(notes, 0, '<', '>') FROM notes WHERE notes MATCH 'hit'",
}

describe('a query that makes much of long texts', () => {
  test.each(Object.entries(attacks))('by %s ends soon after its deadline, and the next one works', (_attack, sql) => {
    const started = performance.now()
    const { result } = instance.call('query', { sql })
    expect(performance.now() - started).toBeLessThan(mostMs)
    if (!result.ok) expect(result.error.kind).toBe('business_rejection')
    expect(instance.call('query', { sql: 'SELECT count(*) AS n FROM t' }).result).toEqual({
      ok: true,
      content: [{ n: 400 }],
    })
  })

  test('is told how long its texts may be where it could not end in time', () => {
    const told = (sql: string) => {
      const { result } = instance.call('query', { sql })
      return result.ok ? null : [result.error.code, result.error.message]
    }
    expect(told(attacks['a comparison of stored texts that were kept'] as string)).toEqual([
      'invalid_query',
      expect.stringMatching(/may make or go through texts of \d+ characters, at most \d+ are allowed/),
    ])
    expect(told(attacks['a comparison of texts that were made'] as string)).toEqual([
      'statement_failed',
      expect.stringMatching(/replace\(\) would make 80000 characters, at most \d+ are allowed/),
    ])
  })

  test('keeps no more of them than memory allows', () => {
    const sorted = (deadline: number, sql: string) => {
      const patient = environment(draft, [queryTool({ deadlineMs: deadline, visits: 1_000_000_000 })])
      const { result } = patient.open({ seed: 1 }).call('query', { sql })
      patient.close()
      return result.ok ? (result.content as unknown[]).length : result.error
    }
    expect(sorted(60_000, 'SELECT a.id FROM t a, t b WHERE b.id < 200 ORDER BY a.s, b.id')).toMatchObject({
      code: 'query_too_large',
      message: expect.stringMatching(/keeps long texts of more than 255\d\d rows/),
    })
    expect(sorted(60_000, 'SELECT a.id FROM t a, t b WHERE b.id < 200 ORDER BY a.digits || a.id, b.id')).toBe(200)
    expect(sorted(60_000, 'SELECT s FROM t ORDER BY s DESC LIMIT 3')).toBe(3)
  })

  test('may do so with the long texts that it finds, row by row', () => {
    const rows = (sql: string) => {
      const { result } = instance.call('query', { sql })
      return result.ok ? result.content : result.error
    }
    expect(rows("SELECT count(*) AS n FROM t WHERE s LIKE '%aaa%' AND instr(s, 'aa') = 1 AND id < 20")).toEqual([
      { n: 20 },
    ])
    expect(rows("SELECT length(upper(replace(s, 'a', 'bb'))) AS n FROM t WHERE id = 1")).toEqual([{ n: 20_000 }])
    expect(rows("SELECT length(group_concat(s, '; ')) AS n FROM t WHERE id < 5")).toEqual([{ n: 50_008 }])
  })
})
