import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRow } from '../../../src/environment/sqlite/cell.ts'
import { openSqlite } from '../../../src/environment/sqlite/native-module.ts'
import { placeOf, placesOf } from '../../../src/environment/sqlite/text-search.ts'
import { database, environment, queryTool, sqlArgument } from '../workshop.ts'

/** Values of every storage class; texts with characters of one to four bytes, blobs that are no text, numbers that look alike. */
const values = [
  'NULL',
  "''",
  "'a'",
  "'b'",
  "'banana'",
  "'ana'",
  "'BANANA'",
  "'na na na'",
  "'Zoë 😀 façade 日本'",
  "'ë'",
  "'😀 '",
  "'日本'",
  "'12.5'",
  "'1'",
  "'it''s'",
  "'a' || char(0) || 'b'",
  'char(0)',
  '0',
  '1',
  '-12',
  '12.5',
  '1.0',
  '1e300',
  '9007199254740993',
  "x''",
  "x'616e61'",
  "x'62616e616e61'",
  "x'c3ab'",
  "x'ff00ff'",
  "x'00'",
]

const schema = `CREATE TABLE v (id INTEGER PRIMARY KEY, x);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, notes TEXT, cents INTEGER, at TEXT, tags TEXT);`
const people = ['Ana', 'Bo', 'Chen', 'Zoë'] as const
const data = `INSERT INTO v (x) VALUES ${values.map((value) => `(${value})`).join(', ')};
  INSERT INTO orders VALUES ${Array.from({ length: 60 }, (_, at) => {
    const tags = `{"color": "c${at % 3}", "sizes": [${at}, ${at + 1}], "who": {"name": "${people[at % 4]}"}}`
    return `(${at}, '${people[at % 4]}', 'city ${at % 7}', 'order ${at} of "${'long '.repeat(at)}" parts', ${at * 37}, '2026-0${1 + (at % 9)}-1${at % 10}', '${tags}')`
  }).join(', ')};`

const long = { ...sqlArgument, properties: { sql: { type: 'string', maxLength: 16_384 } } }
const world = environment(database(schema, data), [queryTool({ deadlineMs: 20_000 }, { inputSchema: long })])
const instance = world.open({ seed: 1 })
const plain = openSqlite(':memory:')
beforeAll(() => plain.exec(`${schema}${data}`))
afterAll(() => {
  plain.close()
  world.close()
})

/** What SQLite answers of its own. */
function plainRows(sql: string): unknown {
  const statement = plain.prepare(sql)
  const columns = statement.columns().map(({ name }) => name)
  return (statement.raw().safeIntegers().all() as never[]).map((row) => toRow(columns, row))
}

function expectSame(sql: string): void {
  const { result } = instance.call('query', { sql })
  expect(result.ok ? result.content : result.error).toEqual(plainRows(sql))
}

/** A value and how SQLite keeps it; a blob as it is written, because a text may hold what is no character. */
const shown = (expression: string) => `typeof(${expression}) AS kind, quote(${expression}) AS shown`

describe('a function that queries have of their own answers as SQLite does', () => {
  test.each(values)('instr() and replace() of %s, for all that may be sought in it', (value) => {
    expectSame(`SELECT id, ${shown(`instr(${value}, x)`)} FROM v ORDER BY id`)
    expectSame(`SELECT id, ${shown(`instr(x, ${value})`)} FROM v ORDER BY id`)
    expectSame(`SELECT id, ${shown(`replace(${value}, x, 'new')`)} FROM v ORDER BY id`)
    expectSame(`SELECT id, ${shown(`replace(x, ${value}, '')`)} FROM v ORDER BY id`)
    expectSame(`SELECT id, ${shown(`replace('banana 12.5', 'na', x)`)} FROM v WHERE x IS NOT ${value} ORDER BY id`)
  })

  test('instr() and replace() of long texts that repeat themselves', () => {
    const text = (most: number) =>
      fc
        .tuple(
          fc.array(fc.constantFrom('a', 'b', '😀'), { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: most }),
        )
        .map(([parts, times]) => parts.join('').repeat(times))
    fc.assert(
      fc.property(text(250), text(100), fc.constantFrom('', 'a', 'b', '😀'), (start, part, end) => {
        const [whole, sought] = [`${start}${part}${end}${start}`, `${part}${end}`]
        expect(placeOf(whole, sought)).toBe(whole.indexOf(sought))
        expect(placesOf(whole, sought)).toBe(whole.split(sought).length - 1)
        expectSame(`SELECT instr('${whole}', '${sought}') AS place, replace('${whole}', '${sought}', '-') AS text`)
      }),
      { numRuns: 100 },
    )
  })

  test('instr() where trying each place in turn would take the square of the lengths', () => {
    const [text, sought] = ['a'.repeat(6_000), `${'a'.repeat(3_000)}b`]
    expectSame(`SELECT instr('${text}', '${sought}') AS none, instr('é${text.slice(3_000)}b', '${sought}') AS last`)
  })

  test.each([
    "SELECT group_concat(x) AS a, group_concat(x, '') AS b, group_concat(DISTINCT typeof(x)) AS c FROM v WHERE typeof(x) <> 'blob'",
    "SELECT customer, string_agg(city, ' / ' ORDER BY id DESC) AS cities FROM orders GROUP BY customer ORDER BY 1",
    "SELECT id, date(at, '+1 month') AS d, strftime('%Y-%m', at) AS m, julianday(at) - julianday('2026-01-01') AS days FROM orders ORDER BY id",
    'SELECT id, date(x) AS d, time(x) AS t, unixepoch(x) AS u FROM v ORDER BY id',
  ])('joined texts and dates: %s', (sql) => expectSame(sql))
})

describe('what analysts ask is answered as SQLite answers it', () => {
  test.each([
    "SELECT id FROM orders WHERE notes LIKE '%long%' AND customer LIKE 'z%' OR city LIKE '%7' ORDER BY id",
    "SELECT id FROM orders WHERE notes GLOB '*order [1-3]* of*' AND NOT customer GLOB '[A-C]*' ORDER BY id",
    "SELECT id, instr(notes, 'of') AS at, substr(notes, 1, instr(notes, ' of') - 1) AS head FROM orders WHERE instr(lower(notes), lower('LONG')) > 0 ORDER BY id",
    `SELECT id, upper(trim(replace(replace(replace(notes, '"', ''), 'long', 'l'), ' ', '-'), '-')) AS slug, length(notes) AS n FROM orders ORDER BY id`,
    "SELECT replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(notes, 'a', '1'), 'b', '2'), 'c', '3'), 'd', '4'), 'e', '5'), 'f', '6'), 'g', '7'), 'h', '8'), 'i', '9'), 'o', '0') AS coded FROM orders ORDER BY id",
    "SELECT customer || ' (' || city || '), ' || strftime('%d.%m.%Y', at) || ': ' || round(cents / 100.0, 2) AS line FROM orders ORDER BY id",
    "SELECT id, tags ->> '$.color' AS color, json_extract(tags, '$.sizes[1]') AS size, tags -> 'who' -> 'name' AS who, json_array_length(tags, '$.sizes') AS n FROM orders WHERE json_extract(tags, '$.who.name') = 'Bo' ORDER BY id",
    "SELECT json_object('id', id, 'list', json_array(customer, city), 'tags', json(tags)) AS whole, json_set(tags, '$.new', cents) AS more FROM orders ORDER BY id",
    "SELECT customer, group_concat(id, ', ') AS ids, count(*) FILTER (WHERE cents > 1000) AS large, sum(cents) AS total FROM orders GROUP BY customer HAVING total > 10 ORDER BY total DESC",
    'SELECT id, cents - lag(cents) OVER (PARTITION BY customer ORDER BY id) AS step, rank() OVER (ORDER BY cents DESC) AS place, sum(cents) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving FROM orders ORDER BY id',
    `WITH spent AS (SELECT customer, sum(cents) AS total FROM orders GROUP BY customer),
      cities AS (SELECT customer, group_concat(DISTINCT city) AS list FROM orders GROUP BY customer),
      ranked AS (SELECT customer, total, row_number() OVER (ORDER BY total DESC) AS place FROM spent)
      SELECT r.place, r.customer || ': ' || r.total AS who, upper(c.list) AS list, replace(c.list, 'city ', '#') AS short
      FROM ranked r JOIN cities c USING (customer) ORDER BY r.place`,
    `WITH named AS (SELECT id, customer || ' of ' || city AS name FROM orders)
      SELECT a.name, count(*) AS others FROM named a JOIN named b ON a.name = b.name AND a.id <> b.id WHERE a.name LIKE '%o%' GROUP BY 1 ORDER BY 1`,
    "SELECT CASE WHEN customer = 'Ana' THEN 'A-' || id WHEN cents > 500 THEN 'L-' || id ELSE 'S-' || id END AS code, hex(customer) AS h, quote(city) AS q FROM orders ORDER BY id",
    `SELECT ${Array.from({ length: 20 }, (_, at) => `sum(notes LIKE '%order ${at} %') AS n${at}`).join(', ')} FROM orders`,
    "SELECT customer FROM orders UNION SELECT city FROM orders WHERE city LIKE '%1' EXCEPT SELECT 'Bo' ORDER BY 1",
  ])('%s', (sql) => expectSame(sql))
})
