import { describe, expect, test } from 'vitest'
import { database, environment } from '../workshop.ts'

const rows = (table: string, count: number, values: (index: number) => string): string =>
  `INSERT INTO ${table} VALUES ${Array.from({ length: count }, (_, index) => `(${values(index)})`).join(', ')};`
const repeat = (count: number, make: (index: number) => string, by = ' AND ') =>
  Array.from({ length: count }, (_, index) => make(index)).join(by)

const world = environment(
  database(
    `CREATE TABLE a (id INTEGER PRIMARY KEY, v INTEGER, name TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, v INTEGER, name TEXT);
     CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT, needle TEXT, ${repeat(20, (index) => `g${index} TEXT AS (${'upper(lower('.repeat(20)}body${'))'.repeat(20)})`, ', ')});
     CREATE TABLE prefixed (id INTEGER PRIMARY KEY, code TEXT, prefix TEXT, CHECK (code LIKE prefix || '%'));
     CREATE VIEW found AS SELECT count(*) AS n FROM bodies WHERE body LIKE needle;
     CREATE VIRTUAL TABLE notes USING fts5(body);`,
    [
      ...['a', 'b'].map((table) => rows(table, 900, (index) => `${index}, ${index}, 'name ${index}'`)),
      rows('bodies', 300, (index) => `${index}, '${'ab'.repeat(2_000)}', '${'a'.repeat(1_000)}b'`),
      rows('prefixed', 2, (index) => `${index}, '${'a'.repeat(3_000)}b${index}', '${'a'.repeat(3_000)}b'`),
      rows('notes', 300, () => `'${'a '.repeat(1_000)}'`),
    ].join('\n'),
  ),
)

/** Why a statement is not admitted; "admitted" when it is. */
function refusal(sql: string): string {
  const admission = world.registry.admit(sql)
  return admission.ok ? 'admitted' : admission.faults.join('; ')
}

describe('what is done with each row counts, by how long its texts may be:', () => {
  test.each([
    ['a search in an argument', "SELECT count(*) AS n FROM a, b WHERE @text LIKE '%' || a.name || b.name || '%'"],
    ['instr() in an argument', 'SELECT count(*) AS n FROM a, b WHERE instr(@text, a.name || b.name) > 0'],
    ['replace() in an argument', "SELECT count(*) AS n FROM a, b WHERE replace(@text, a.name, b.name) = ''"],
    ['an argument joined to a column', "SELECT count(*) AS n FROM a, b WHERE lower(@text || a.name || b.name) = ''"],
    ['joining alone', "SELECT count(*) AS n FROM a, b WHERE @text || a.name || b.name || @text = ''"],
    [
      'a list in an argument',
      "SELECT count(*) AS n FROM a, b WHERE json_extract(@list, '$[' || (a.v + b.v) || ']') = 4",
    ],
    [
      'a list made longer',
      "SELECT count(*) AS n FROM a, b WHERE json_array_length('[' || @list || a.v || b.v || ']') = 4",
    ],
    ['texts that grow', 'SELECT count(*) AS n FROM a, b WHERE hex(hex(hex(@text || a.name || b.name))) = 1'],
    [
      'an argument that a subquery renames',
      "SELECT count(*) AS n FROM (SELECT @text AS name LIMIT 1) AS q, a, b WHERE lower(q.name || b.v) = ''",
    ],
    [
      'an argument kept in a table of its own',
      "WITH q AS MATERIALIZED (SELECT @text || v AS t FROM a WHERE id = 1) SELECT count(*) AS n FROM a, b, q WHERE a.id = 1 AND lower(q.t || b.v) = '' UNION ALL SELECT count(*) FROM a, b",
    ],
    [
      'all texts of a table in one',
      "SELECT count(*) AS n FROM a WHERE instr((SELECT group_concat(a.name || b.name) FROM a, b), name || 'x') > 0",
    ],
    ['generated columns', `SELECT count(*) AS n FROM bodies WHERE ${repeat(20, (index) => `g${index} <> ''`)}`],
    [
      'hundreds of terms',
      `SELECT count(*) AS n FROM a, b WHERE ${repeat(400, (index) => `(a.v % ${index + 2} || b.v) <> 'x'`)}`,
    ],
    [
      'snippets of a word again and again',
      "SELECT snippet(notes, 0, '<', '>', '…', 64) AS s FROM notes WHERE notes MATCH @query",
    ],
  ])('%s', (_name, sql) => {
    expect(refusal(sql)).toMatch(/may call its \d+ functions for each of .* rows, with texts of up to \d+ characters/)
  })

  test.each([
    ['a view', 'SELECT n FROM found'],
    ['the condition of a table', 'UPDATE prefixed SET code = @code WHERE id = @id'],
  ])('and so does a pattern that %s takes from a column', (_name, sql) => {
    expect(refusal(sql)).toMatch(/takes what LIKE looks for from a column/)
  })

  test.each([
    "SELECT id FROM a WHERE lower(name) LIKE '%' || lower(@text) || '%' OR instr(lower(name), lower(@text)) > 0",
    "SELECT a.id FROM a JOIN b ON b.id = a.id WHERE @text LIKE '%' || a.name || '%' AND replace(b.name, ' ', '-') <> @text",
    "SELECT a.name, group_concat(b.name, ', ') AS names FROM a JOIN b ON b.id = a.v GROUP BY a.id ORDER BY names",
    'SELECT a.id FROM a JOIN json_each(@ids) AS j ON j.value = a.id',
    'SELECT id, length(body) AS n, substr(body, 1, 80) AS start FROM bodies WHERE instr(body, @text) > 0',
    "SELECT json_pretty(json_object('id', id, 'name', name)) AS text, json_patch(json_object('v', v), @patch) AS patched FROM a WHERE id = @id",
    'SELECT coalesce(@name, a.name) AS n, date(@day) AS d FROM a, b WHERE a.v = b.v AND (@name IS NULL OR a.name = @name)',
  ])('but not so that it refuses %s', (sql) => {
    expect(refusal(sql)).toBe('admitted')
  })

  test('and a text that repeats itself may be searched for by no definition', () => {
    const text = 'a'.repeat(500)
    for (const definition of [
      `CREATE TABLE t (body TEXT CHECK (body NOT LIKE '%${text}b'))`,
      `CREATE TABLE t (body TEXT, n INTEGER AS (instr(body, '${text}b')))`,
      `CREATE TABLE t (body TEXT); CREATE INDEX t_body ON t (body) WHERE body GLOB '*${text}b'`,
      `CREATE TABLE t (body TEXT); CREATE VIEW v AS SELECT 1 AS n FROM t WHERE body LIKE '%${text}b'`,
    ])
      expect(() => environment(database(definition))).toThrow(/must have at most 32 characters, or repeat itself/)
  })
})
