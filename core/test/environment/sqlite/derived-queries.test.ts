import { describe, expect, test } from 'vitest'
import { database, environment } from '../workshop.ts'

const rows = (table: string, count: number, values: (index: number) => string): string =>
  `INSERT INTO ${table} VALUES ${Array.from({ length: count }, (_, index) => `(${values(index)})`).join(', ')};`

const letters = (index: number) => index.toString(2).padStart(6, '0').replaceAll('1', 'A').replaceAll('0', 'a')

/** Rows that no two searches for the same value tell apart, but for their ids, and for the case of their words. */
const alike = environment(
  database(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, word TEXT);
     CREATE TABLE u (id INTEGER PRIMARY KEY, word TEXT); CREATE INDEX u_word ON u (word COLLATE NOCASE);
     CREATE VIEW turned (k, id) AS SELECT id, 1 FROM t GROUP BY id;`,
    rows('t', 64, (index) => `${index}, 1, '${letters(index)}'`) +
      rows('u', 64, (index) => `${index}, '${letters(index)}'`),
  ),
)

const joined = (name: string, condition: (alias: string) => string, times = 5) =>
  `SELECT count(*) AS n FROM ${name} AS p ${Array.from({ length: times }, (_, index) => `LEFT JOIN ${name} AS q${index} ON ${condition(`q${index}`)}`).join(' ')}`
const declared = (head: string, column: string) =>
  `WITH ${head} ${joined('p', (alias) => `${alias}.${column} = p.${column}`)}`

describe('what a subquery yields counts whole where a search may find all of it:', () => {
  test.each([
    ['of a constant', declared('p AS MATERIALIZED (SELECT 1 AS k FROM t)', 'k')],
    ['grouped by another column', declared('p AS MATERIALIZED (SELECT k, id FROM t GROUP BY 2)', 'k')],
    [
      'grouped by a column that an output hides',
      declared('p AS MATERIALIZED (SELECT 1 AS k, id FROM t GROUP BY id, k)', 'k'),
    ],
    [
      'whose name is a column of the table',
      declared('p AS MATERIALIZED (SELECT 1 AS word FROM t GROUP BY word)', 'word'),
    ],
    ['of two columns with one name', declared('p AS MATERIALIZED (SELECT 1 AS k, id AS k FROM t GROUP BY id)', 'k')],
    [
      'behind a column in brackets of the same name',
      declared('p AS MATERIALIZED (SELECT (k), id AS k FROM t GROUP BY id)', 'k'),
    ],
    [
      'behind a column with a collation',
      declared('p AS MATERIALIZED (SELECT k COLLATE BINARY, id AS k FROM t GROUP BY id)', 'k'),
    ],
    ['behind a column with a hint', declared('p AS MATERIALIZED (SELECT likely(k), id AS k FROM t GROUP BY id)', 'k')],
    ['behind all columns of the table', declared('p AS MATERIALIZED (SELECT *, id AS k FROM t GROUP BY id)', 'k')],
    [
      'distinct, behind a column in brackets of the same name',
      declared('p AS MATERIALIZED (SELECT (k), id AS k FROM t)', 'k'),
    ],
    ['named after an operator', declared('p AS MATERIALIZED (SELECT id - k, 1 AS k FROM t GROUP BY 1)', 'k')],
    ['that hands the row id on', declared('p AS MATERIALIZED (SELECT rowid, 1 AS rowid FROM t GROUP BY 1)', 'rowid')],
    ['with columns of other names', declared('p (k, id) AS MATERIALIZED (SELECT id, 1 FROM t GROUP BY id)', 'id')],
    [
      'grouped by two columns',
      declared('p AS MATERIALIZED (SELECT lower(word) AS w, id FROM t GROUP BY lower(word), id)', 'w'),
    ],
    [
      'that reads one of a table’s name',
      declared('t AS (SELECT 1 AS k UNION ALL SELECT 1 FROM main.t), p AS MATERIALIZED (SELECT k FROM t)', 'k'),
    ],
    [
      'that two grouped ones make',
      declared(
        'p AS MATERIALIZED (SELECT id, 1 AS k FROM t GROUP BY id UNION ALL SELECT id, 1 FROM t GROUP BY id)',
        'id',
      ),
    ],
    [
      'grouped, but searched without regard to case',
      `WITH p AS MATERIALIZED (SELECT word FROM t GROUP BY word) ${joined('p', (alias) => `${alias}.word = p.word COLLATE NOCASE`)}`,
    ],
    ['of a view', joined('turned', (alias) => `${alias}.id = p.id`)],
    ['in brackets', joined('(SELECT 1 AS k FROM t LIMIT 64)', (alias) => `${alias}.k = p.k`)],
    [
      'of a list of values',
      `WITH p AS MATERIALIZED (SELECT id FROM t GROUP BY id) ${joined('p', (alias) => `${alias}.id IN (SELECT id FROM t)`)}`,
    ],
    [
      'none, of a table whose index takes no regard of case',
      joined('u', (alias) => `${alias}.word = p.word COLLATE NOCASE`),
    ],
  ])('%s', (_name, sql) => {
    const admission = alike.registry.admit(sql)
    expect(admission.ok ? sql : admission.faults.join('; ')).toMatch(/may visit/)
  })

  test('and one row where it is grouped by what is searched for', () => {
    for (const sql of [
      declared('p AS MATERIALIZED (SELECT id, count(*) AS n FROM t GROUP BY id)', 'id'),
      `WITH p AS MATERIALIZED (SELECT DISTINCT id, word FROM t) ${joined('p', (alias) => `${alias}.id = p.id AND ${alias}.word = p.word`)}`,
      `SELECT count(*) AS n FROM u AS p JOIN u AS q ON q.word = p.word COLLATE NOCASE AND q.rowid = p.id`,
    ]) {
      const admission = alike.registry.admit(sql)
      expect(admission.ok ? [] : admission.faults).toEqual([])
    }
  })
})

describe('names do not pass for what a plan says:', () => {
  const plans = environment(
    database(
      'CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER); CREATE TABLE "Order" (n INTEGER); CREATE TABLE "Order Details" (id INTEGER PRIMARY KEY, k INTEGER);',
      rows('t', 300, (index) => `${index}, 1`) + rows('"Order Details"', 300, (index) => `${index}, 1`),
    ),
  )
  const refusal = (sql: string): string => {
    const admission = plans.registry.admit(sql)
    return admission.ok ? 'admitted' : admission.faults.join('; ')
  }

  test.each(['CONSTANT ROW', '1 CONSTANT ROW', 'x VIRTUAL TABLE', 'x USING INDEX y (rowid=?)'])('%s', (name) => {
    for (const quoted of [`"${name}"`, `[${name}]`, `AS '${name}'`, `'${name}'`])
      expect(refusal(`SELECT count(*) AS n FROM t ${quoted}, t AS b, t AS c`)).toMatch(
        /could not be told from what a query plan/,
      )
    expect(() => environment(database(`CREATE TABLE t (k); CREATE INDEX "${name}" ON t (k)`))).toThrow(
      /could not be told/,
    )
    expect(refusal(`SELECT count(*) AS n FROM t WHERE k = '${name}' AND k IN ('${name}', '${name}')`)).toBe('admitted')
  })

  test('of which one begins like another', () => {
    const details = '"Order Details"'
    expect(
      refusal(`SELECT count(*) AS n FROM "Order" o, ${details} a, ${details} b, ${details} WHERE a.k + b.k < 0`),
    ).toMatch(/may visit/)
    expect(
      refusal(
        `SELECT count(*) AS n FROM t "x y", t "x z", t "x w" WHERE "x z".id IN (SELECT id FROM t) AND "x w".id IN (SELECT id FROM t)`,
      ),
    ).toMatch(/may visit/)
    expect(refusal(`SELECT a.k FROM ${details} AS "a b" JOIN t AS a ON a.id = "a b".id WHERE "a b".id = @id`)).toBe(
      'admitted',
    )
  })
})

describe('reports over grouped queries stay admitted:', () => {
  const shop = environment(
    database(
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
       CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed_at TEXT);
       CREATE INDEX orders_customer ON orders (customer_id);
       CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id), product_id INTEGER);
       CREATE INDEX items_order ON order_items (order_id); CREATE INDEX items_product ON order_items (product_id);
       CREATE TABLE payments (id INTEGER PRIMARY KEY, customer_id INTEGER, amount INTEGER);
       CREATE TABLE reviews (id INTEGER PRIMARY KEY, customer_id INTEGER, stars INTEGER);
       CREATE VIEW spent AS SELECT customer_id, sum(amount) AS amount FROM payments GROUP BY customer_id;`,
      [
        rows('customers', 500, (index) => `${index}, 'Customer ${index}'`),
        rows('orders', 2_000, (index) => `${index}, ${index % 500}, '2026-01-0${1 + (index % 9)}'`),
        rows('order_items', 6_000, (index) => `${index}, ${Math.floor(index / 3)}, ${index % 300}`),
        rows('payments', 2_000, (index) => `${index}, ${index % 500}, ${index}`),
        rows('reviews', 1_500, (index) => `${index}, ${(index * 7) % 500}, 3`),
      ].join('\n'),
    ),
  )

  test.each([
    'WITH o AS (SELECT customer_id, count(*) n FROM orders GROUP BY 1), p AS (SELECT customer_id, sum(amount) s FROM payments GROUP BY customer_id), r AS (SELECT customer_id, avg(stars) k FROM reviews AS v GROUP BY v.customer_id) SELECT c.name, o.n, p.s, r.k FROM customers c LEFT JOIN o ON o.customer_id = c.id LEFT JOIN p ON p.customer_id = c.id LEFT JOIN r ON r.customer_id = c.id',
    'SELECT c.id FROM customers c WHERE EXISTS (SELECT 1 FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.customer_id = c.id AND i.product_id = @product)',
    'SELECT c.name, t.n, s.amount FROM customers c LEFT JOIN (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) t ON t.customer_id = c.id LEFT JOIN spent s ON s.customer_id = c.id',
    'WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at DESC) AS place FROM orders) SELECT c.name, r.placed_at FROM customers c LEFT JOIN ranked r ON r.customer_id = c.id AND r.place = 1',
    'WITH m AS (SELECT substr(placed_at, 1, 7) AS month, count(*) AS n FROM orders GROUP BY month), b AS (SELECT substr(placed_at, 1, 7) AS month, count(DISTINCT customer_id) AS k FROM orders GROUP BY 1) SELECT m.month, m.n, b.k FROM m LEFT JOIN b ON b.month = m.month',
    'WITH buyers AS (SELECT DISTINCT customer_id FROM orders) SELECT c.name FROM customers c LEFT JOIN buyers b ON b.customer_id = c.id WHERE b.customer_id IS NULL',
  ])('%s', (sql) => {
    const admission = shop.registry.admit(sql)
    expect(admission.ok ? [] : admission.faults).toEqual([])
  })
})
