import { describe, expect, test } from 'vitest'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import type { QueryImplementation } from '../../../src/vocabulary/tool.ts'
import { database, environment, queryTool } from '../workshop.ts'

const ask = (instance: EnvironmentInstance, sql: string) => instance.call('query', { sql }).result

/** The rows of a query that must succeed. */
function rows(instance: EnvironmentInstance, sql: string): unknown {
  const result = ask(instance, sql)
  if (!result.ok) throw new Error(result.error.message)
  return result.content
}

/** A hundred numbers, and texts of a thousand characters. */
const numbers = database(
  'CREATE TABLE n (i INTEGER PRIMARY KEY, s TEXT)',
  `INSERT INTO n VALUES ${Array.from({ length: 100 }, (_, i) => `(${i}, '${'x'.repeat(1_000)}')`).join(', ')};`,
)

function onNumbers<T>(bounds: Partial<QueryImplementation>, use: (instance: EnvironmentInstance) => T): T {
  const bounded = environment(numbers, [queryTool(bounds)])
  const instance = bounded.open({ seed: 1 })
  try {
    return use(instance)
  } finally {
    instance.close()
    bounded.close()
  }
}

describe('the bounds of a query', () => {
  test('rows beyond the limit are announced', () => {
    onNumbers({ limit: 3 }, (instance) => {
      expect(ask(instance, 'SELECT i FROM n')).toEqual({
        ok: true,
        content: [{ i: 0 }, { i: 1 }, { i: 2 }],
        notice: 'only the first 3 rows are shown; there are more',
      })
      expect(ask(instance, 'SELECT i FROM n WHERE i < 3')).toEqual({
        ok: true,
        content: [{ i: 0 }, { i: 1 }, { i: 2 }],
      })
    })
  })

  test('a result ends before it has more than 100,000 characters', () => {
    onNumbers({}, (instance) => {
      const result = ask(instance, 'SELECT s AS a, s AS b FROM n')
      // 2,000 characters a row and 2 for its names; 50 rows would have 100,100.
      expect(result).toMatchObject({ notice: 'only the first 49 rows are shown; the next would be too long' })
      const wide = `SELECT ${Array.from({ length: 101 }, (_, i) => `s AS s${i}`).join(', ')} FROM n`
      expect(ask(instance, wide)).toMatchObject({ ok: false, error: { code: 'query_too_large' } })
    })
  })

  test('rows are counted exactly, the same in every state that holds them', () => {
    // 100 rows of the outer loop, and 100 of the inner one for each.
    const cross = 'SELECT count(*) AS n FROM n a, n b'
    onNumbers({ visits: 10_100 }, (instance) => expect(rows(instance, cross)).toEqual([{ n: 10_000 }]))
    onNumbers({ visits: 10_099 }, (instance) => {
      const refusal = {
        ok: false,
        error: {
          kind: 'business_rejection',
          code: 'query_too_large',
          message: 'query: it looks at more than 10099 rows; narrow it down or join on keys',
        },
      }
      expect([ask(instance, cross), ask(instance.fork(), cross)]).toEqual([refusal, refusal])
      expect(rows(instance, 'SELECT count(*) AS n FROM n')).toEqual([{ n: 100 }])
    })
  })

  test('a look-up by key is one row, and a search by index those that it finds', () => {
    onNumbers({ visits: 1 }, (instance) => expect(rows(instance, 'SELECT i FROM n WHERE i = 7')).toEqual([{ i: 7 }]))
    onNumbers({ visits: 5 }, (instance) => {
      expect(rows(instance, 'SELECT count(*) AS n FROM n WHERE i BETWEEN 1 AND 5')).toEqual([{ n: 5 }])
      expect(ask(instance, 'SELECT count(*) FROM n WHERE i BETWEEN 1 AND 6').ok).toBe(false)
    })
  })

  test.each([
    ['a cross join', 'SELECT count(*) FROM n a, n b, n c, n d, n e'],
    ['a correlated subquery', 'SELECT i, (SELECT count(*) FROM n a, n b, n c, n d WHERE a.i < n.i) FROM n'],
    ['a condition that nothing meets', 'SELECT a.i FROM n a, n b, n c, n d, n e WHERE a.i + b.i + c.i + d.i + e.i < 0'],
    ['a sort', 'SELECT a.i FROM n a, n b, n c, n d, n e ORDER BY b.s, a.i'],
    ['a group', 'SELECT a.i + b.i * c.i AS k, count(*) FROM n a, n b, n c, n d GROUP BY k'],
    ['distinct rows', 'SELECT DISTINCT a.i / 1000 FROM n a, n b, n c, n d, n e'],
  ])('the deadline ends %s whatever it may look at, as an error of its author', (_what, sql) => {
    onNumbers({ visits: 1_000_000_000, deadlineMs: 50 }, (instance) => {
      const started = performance.now()
      expect(ask(instance, sql)).toEqual({
        ok: false,
        error: {
          kind: 'business_rejection',
          code: 'query_timeout',
          message: 'query: it does not end within 50 ms; narrow it down or join on keys',
        },
      })
      expect(performance.now() - started).toBeLessThan(2_000)
      expect(rows(instance, 'SELECT count(*) AS n FROM n')).toEqual([{ n: 100 }])
    })
  })

  test('rows that no view counts weigh what is calculated of them, and views that repeat it count as written out', () => {
    const kept = 'WITH k AS MATERIALIZED (SELECT i FROM n LIMIT 400)'
    const joined = (calls: number) => {
      const dates = Array.from({ length: calls }, () => 'date(a.i + b.i)').join(' + ')
      return `${kept} SELECT sum(${dates}) AS n FROM k a, k b, (VALUES (1), (2), (3), (4)) c`
    }
    onNumbers({}, (instance) => {
      expect(ask(instance, joined(1))).toMatchObject({ ok: true })
      expect(ask(instance, joined(180))).toMatchObject({ ok: false, error: { code: 'invalid_query' } })
      const nested = `${kept}, d AS (SELECT a.i AS x, upper(a.i + b.i) AS d FROM k a, k b, (VALUES (1), (2), (3), (4)) c)`
      const again = `${nested} SELECT count(*) AS n FROM d WHERE ${Array.from({ length: 90 }, () => 'd > x').join(' AND ')}`
      expect(ask(instance, again)).toMatchObject({
        error: {
          message: expect.stringMatching(/may look at .* rows, at most \d+ are allowed with what it calculates/),
        },
      })
    })
  })

  test('a rank within groups may be asked of a thousand rows', () => {
    const ranked = `WITH s AS (SELECT i % 50 AS k, sum(i) AS total FROM n GROUP BY 1),
      r AS (SELECT k, total, rank() OVER (ORDER BY total DESC) AS pos FROM s)
      SELECT n.i, r.pos FROM r JOIN n ON n.i = r.k WHERE r.pos <= 2 ORDER BY r.pos`
    onNumbers({}, (instance) => {
      expect(rows(instance, ranked)).toEqual([
        { i: 49, pos: 1 },
        { i: 48, pos: 2 },
      ])
    })
  })
})
