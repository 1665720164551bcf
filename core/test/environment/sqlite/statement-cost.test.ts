import { describe, expect, test } from 'vitest'
import { database, environment } from '../workshop.ts'

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const rows = (table: string, count: number, values: (index: number) => string): string =>
  count === 0 ? '' : `INSERT INTO ${table} VALUES ${repeat(count, (index) => `(${values(index)})`).join(', ')};`

/** Why a statement is not admitted to a world; "admitted" when it is. */
function refusal(sql: string, schema: string, data = ''): string {
  const world = environment(database(schema, data))
  const admission = world.registry.admit(sql)
  world.close()
  return admission.ok ? 'admitted' : admission.faults.join('; ')
}

const keyed = 'CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER); CREATE INDEX t_k ON t (k);'
const lettered = ['a', 'b', 'c', 'd']
const four = lettered.map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, v INTEGER);`).join('\n')
const fourRows = (count: number) => lettered.map((name) => rows(name, count, (index) => `${index + 1}, 1`)).join('\n')
const documents = 'CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT, needle TEXT);'
const documentRow = (body: string, needle: string) => `INSERT INTO t VALUES (1, '${body}', '${needle}');`
const joined = (condition: (from: number, to: number) => string, times = 10) =>
  `SELECT count(*) AS n FROM t AS a0 ${repeat(times, (index) => `JOIN t AS a${index + 1} ON ${condition(index, index + 1)}`).join(' ')}`

describe('work without end is refused, however it is written:', () => {
  test.each<[name: string, sql: string, schema: string, data: string, told: RegExp]>([
    [
      'an index on a column whose values are all alike',
      joined((from, to) => `a${to}.k = a${from}.k`),
      keyed,
      rows('t', 8, (index) => `${index + 1}, 1`),
      /may visit/,
    ],
    [
      'an index whose values a tool could make alike',
      joined((from, to) => `a${to}.k = a${from}.k`),
      keyed,
      rows('t', 8, (index) => `${index + 1}, ${index}`),
      /may visit/,
    ],
    [
      'NULLs in a unique index',
      joined((from, to) => `a${to}.k IS a${from}.k`),
      'CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER UNIQUE);',
      rows('t', 8, (index) => `${index + 1}, NULL`),
      /may visit/,
    ],
    [
      'a search by key for each of many values',
      joined((_, to) => `a${to}.id IN (SELECT id FROM t)`),
      keyed,
      rows('t', 8, (index) => `${index + 1}, 1`),
      /may visit/,
    ],
    [
      'a range of keys',
      joined((from, to) => `a${to}.id > a${from}.id - 100`, 7),
      keyed,
      rows('t', 8, (index) => `${index + 1}, 1`),
      /may visit/,
    ],
    [
      'tables that a view joins',
      'SELECT n FROM w',
      `${four} CREATE VIEW w AS SELECT count(*) AS n FROM a, b, c, d WHERE a.v + b.v + c.v + d.v > 5;`,
      fourRows(60),
      /may visit/,
    ],
    [
      'a table that a view joins with itself',
      'SELECT sum(v) AS n FROM w',
      `${four} CREATE VIEW w AS SELECT a.v AS v FROM a, a AS x, a AS y;`,
      fourRows(200),
      /may visit/,
    ],
    [
      'views of views',
      'SELECT sum(v) AS n FROM u',
      `${four} CREATE VIEW w AS SELECT a.v AS v FROM a, b; CREATE VIEW u AS SELECT o.v AS v FROM w AS o, w AS p;`,
      fourRows(60),
      /may visit/,
    ],
    [
      'lists in arguments',
      'SELECT count(*) AS n FROM json_each(@ids) AS x, json_each(@ids) AS y',
      keyed,
      '',
      /may visit/,
    ],
    [
      'what a query yields, joined with itself under other names',
      'WITH p AS MATERIALIZED (SELECT 1 AS k FROM t, t AS u) SELECT count(*) AS n FROM p AS x, p AS y WHERE x.k <> y.k',
      keyed,
      rows('t', 60, (index) => `${index + 1}, 1`),
      /may visit/,
    ],
    [
      'a query that goes by the name of a small table',
      'WITH p AS MATERIALIZED (SELECT 1 AS k FROM a, a AS u) SELECT (SELECT count(*) FROM b AS x) AS m, count(*) AS n FROM p AS x, p AS y WHERE x.k <> y.k',
      four,
      rows('a', 60, (index) => `${index + 1}, 1`),
      /may visit/,
    ],
    [
      'a window that leaves rows out',
      'SELECT sum(v) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS s FROM a',
      four,
      '',
      /excludes rows from a window/,
    ],
    [
      'a window that joins texts',
      'SELECT group_concat(v) FILTER (WHERE v > 0) OVER (ORDER BY id) AS s FROM a',
      four,
      '',
      /calls group_concat\(\) over a window/,
    ],
    [
      'a long pattern of its own',
      `SELECT count(*) AS n FROM t WHERE body LIKE '%${'a'.repeat(12_000)}b'`,
      documents,
      '',
      /has a text after LIKE that must have/,
    ],
    [
      'a pattern from a column',
      'SELECT count(*) AS n FROM t WHERE body LIKE needle',
      documents,
      documentRow('a'.repeat(5_000), `%${'a'.repeat(4_000)}b`),
      /takes what LIKE looks for from a column/,
    ],
    [
      'a pattern from a column, renamed',
      "SELECT count(*) AS n FROM (SELECT body AS x, needle AS y FROM t) WHERE x LIKE '%' || y",
      documents,
      documentRow('a'.repeat(5_000), `${'a'.repeat(4_000)}b`),
      /takes what LIKE looks for from a column/,
    ],
    [
      'a needle from a column',
      'SELECT instr(body, needle) AS n FROM t',
      documents,
      documentRow('a'.repeat(5_000), `${'a'.repeat(4_000)}b`),
      /takes what instr\(\) looks for from a column/,
    ],
    [
      'characters from a column',
      'SELECT trim(body, needle) AS n FROM t',
      documents,
      documentRow('a'.repeat(5_000), `${'é'.repeat(4_000)}a`),
      /takes what trim\(\) looks for from a column/,
    ],
    ...['end', 'lımıt', 'İd'].map((name): [string, string, string, string, RegExp] => [
      `a pattern from a column called ${name}`,
      `SELECT count(*) AS n FROM t WHERE body LIKE ${name}`,
      `CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT, ${name} TEXT);`,
      documentRow('a'.repeat(5_000), `%${'a'.repeat(4_000)}b`),
      /takes what LIKE looks for from a column/,
    ]),
    [
      'a trigger whose name looks like another event',
      'UPDATE a SET v = v + 1',
      `${four} CREATE TRIGGER ınsert AFTER UPDATE ON a BEGIN UPDATE b SET v = (SELECT sum(v) FROM a WHERE v > NEW.v) WHERE id = 1; END;`,
      fourRows(1_200),
      /may visit/,
    ],
    [
      'a trigger that looks at every row for every row',
      'UPDATE a SET v = v + 1',
      `${four} CREATE TRIGGER counts AFTER UPDATE ON a BEGIN UPDATE b SET v = (SELECT sum(v) FROM a WHERE v > NEW.v) WHERE id = 1; END;`,
      fourRows(1_200),
      /may visit/,
    ],
    [
      'a trigger on a table whose name it writes in another case',
      'UPDATE a SET v = v + 1',
      `${four} CREATE TRIGGER counts AFTER UPDATE ON "A" BEGIN UPDATE b SET v = (SELECT sum(v) FROM a WHERE v > NEW.v) WHERE id = 1; END;`,
      fourRows(1_200),
      /may visit/,
    ],
    [
      'a trigger of a view',
      'INSERT INTO w SELECT id, v FROM a',
      `${four} CREATE VIEW w AS SELECT id, v FROM b; CREATE TRIGGER writes INSTEAD OF INSERT ON w BEGIN UPDATE c SET v = NEW.v WHERE v > NEW.id; END;`,
      fourRows(1_200),
      /may visit/,
    ],
    [
      'rows that refer to each other without an index',
      'DELETE FROM n WHERE id = @id',
      'CREATE TABLE n (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES n (id) ON DELETE CASCADE);',
      rows('n', 3_000, (index) => `${index + 1}, ${index === 0 ? 'NULL' : '1'}`),
      /may visit .* index what its triggers and foreign keys look for/,
    ],
    [
      'functions outside of SQLite for every pair of rows',
      `SELECT count(*) AS n FROM a AS x, a AS y WHERE ${repeat(20, () => 'date(x.v) < date(y.v)').join(' AND ')}`,
      four,
      fourRows(900),
      /may call its 41 functions/,
    ],
  ])('%s', (_name, sql, schema, data, told) => {
    expect(refusal(sql, schema, data)).toMatch(told)
  })

  test.each([
    ['in its body', 'BEGIN UPDATE b SET v = (SELECT n FROM w) WHERE id = NEW.id; END'],
    ['in its condition', 'WHEN (SELECT count(*) FROM a, b, c) > NEW.v BEGIN DELETE FROM d WHERE id = NEW.id; END'],
  ])('a trigger that joins everything %s', (_place, rest) => {
    const schema = `${four} CREATE VIEW w AS SELECT count(*) AS n FROM a, b, c; CREATE TRIGGER everything AFTER INSERT ON a ${rest};`
    expect(() => environment(database(schema))).toThrow(/trigger everything: .* may visit/)
  })
})

describe('what people write stays admitted:', () => {
  const shop = `
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers (id), status TEXT, cents INTEGER, placed_at TEXT);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE TABLE items (order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE, line INTEGER, product_id INTEGER, n INTEGER, PRIMARY KEY (order_id, line));
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, tags TEXT);
CREATE VIEW open_orders AS SELECT o.id, o.customer_id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = 'open';
CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT);
CREATE TRIGGER item_added AFTER INSERT ON items BEGIN UPDATE orders SET cents = (SELECT sum(n) FROM items WHERE order_id = NEW.order_id) WHERE id = NEW.order_id; END;
CREATE TRIGGER order_added BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'full') WHERE (SELECT count(*) FROM orders) > 1000000; END;
CREATE TRIGGER order_changed AFTER UPDATE ON orders WHEN OLD.status <> NEW.status BEGIN INSERT INTO audit (what) VALUES (NEW.id); END;`
  const stock = [
    rows('customers', 500, (index) => `'c${index}', 'Customer ${index}', 'City ${index % 20}'`),
    rows('orders', 2_000, (index) => `'o${index}', 'c${index % 500}', 'open', ${index}, '2026-01-01'`),
    rows('items', 6_000, (index) => `'o${Math.floor(index / 3)}', ${index % 3}, ${1 + (index % 300)}, 1`),
    rows('products', 300, (index) => `${index + 1}, 'Product number ${index}', '["new","blue"]'`),
  ].join('\n')
  const world = environment(database(shop, stock))

  test.each([
    'SELECT c.name, o.id, p.name FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE c.id = @id',
    "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status IN ('open', 'held') AND c.city = @city",
    'SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE city = @city)',
    'SELECT name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM customers c ORDER BY n DESC LIMIT 5',
    'SELECT v.name, count(*) AS n FROM open_orders v GROUP BY v.name',
    'SELECT p.id, p.name FROM products p JOIN json_each(@ids) j ON p.id = j.value',
    "SELECT p.id FROM products p WHERE EXISTS (SELECT 1 FROM json_each(p.tags) WHERE value = 'new')",
    "SELECT id FROM products WHERE name LIKE '%' || @text || '%' OR id = @id",
    "SELECT id FROM products WHERE @text LIKE '%' || name || '%'",
    "SELECT trim(name), replace(lower(name), ' ', '-') AS slug FROM products WHERE instr(name, @text) > 0",
    'SELECT id, sum(cents) OVER (PARTITION BY customer_id ORDER BY placed_at) AS spent, row_number() OVER (ORDER BY cents) AS place FROM orders',
    "UPDATE orders SET status = 'done' WHERE customer_id = @id",
    'WITH spent AS (SELECT customer_id, sum(cents) AS cents FROM orders GROUP BY customer_id) SELECT c.name, s.cents FROM spent s JOIN customers c ON c.id = s.customer_id ORDER BY s.cents DESC',
    'DELETE FROM items WHERE order_id = @id AND line = @line',
    'DELETE FROM orders WHERE id = @id',
    'DELETE FROM orders WHERE customer_id = @id',
    "SELECT o.id, p.name FROM orders o JOIN customers c ON c.id = o.customer_id JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.id IN (SELECT id FROM orders WHERE customer_id = @id) AND p.id IN (1, 2, 3) AND o.status IN ('open', 'held')",
    'SELECT c.name, count(o.id) AS orders, sum(i.n) AS items FROM customers c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN items i ON i.order_id = o.id GROUP BY c.id',
    'SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id WHERE (@city IS NULL OR c.city = @city) AND (@status IS NULL OR o.status = @status) AND (@least IS NULL OR o.cents >= @least)',
    'SELECT c.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL',
    "SELECT id FROM orders WHERE date(placed_at) BETWEEN date(@from) AND date(@to) AND strftime('%Y', placed_at) = '2026'",
  ])('%s', (sql) => {
    const admission = world.registry.admit(sql)
    expect(admission.ok ? [] : admission.faults).toEqual([])
  })
})
