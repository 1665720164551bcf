import { describe, expect, test } from 'vitest'
import { database, environment } from '../workshop.ts'

const rows = (table: string, count: number, values: (index: number) => string): string =>
  `INSERT INTO ${table} VALUES ${Array.from({ length: count }, (_, index) => `(${values(index)})`).join(', ')};`

/** Why a statement is not admitted to a world; "admitted" when it is. */
function refusal(sql: string, schema: string, data: string): string {
  const world = environment(database(schema, data))
  const admission = world.registry.admit(sql)
  world.close()
  return admission.ok ? 'admitted' : admission.faults.join('; ')
}

/** Grandchildren, of whose keys none is indexed, behind children whose are. */
const family = (parent: string, action: string) =>
  `CREATE TABLE p (id INTEGER PRIMARY KEY ${parent}, v INTEGER UNIQUE);
   CREATE TABLE q (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id) ON DELETE CASCADE); CREATE INDEX q_p ON q (p);
   CREATE TABLE r (id INTEGER PRIMARY KEY, q INTEGER REFERENCES q (id) ${action});`
const members =
  rows('p', 2_000, (index) => `${index}, ${index}`) +
  rows('q', 2_000, (index) => `${index}, ${index}`) +
  rows('r', 2_000, (index) => `${index}, NULL`)

/** A trigger that searches an index of another collation, or of another affinity, than the column has that it compares. */
const watched = (condition: string) =>
  `CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE); CREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
   CREATE INDEX b_name ON b (name);
   CREATE TRIGGER counts AFTER UPDATE ON a BEGIN UPDATE b SET n = 1 WHERE ${condition}; END;`
const watchedRows =
  rows('a', 2_000, (index) => `${index}, 'v${index}'`) + rows('b', 2_000, (index) => `${index}, 'n${index}', 0`)

describe('what one changed row sets off counts, as far down as it goes:', () => {
  test.each([
    ['keys behind a cascade that only have to be there', 'DELETE FROM p', family('', '')],
    [
      'cascades behind a row that REPLACE deletes',
      'REPLACE INTO p SELECT id, v + 1 FROM p',
      family('', 'ON DELETE CASCADE'),
    ],
    [
      'cascades behind a row that UPDATE OR REPLACE deletes',
      'UPDATE OR REPLACE p SET v = v / 2',
      family('', 'ON DELETE CASCADE'),
    ],
    [
      'cascades behind a row that the table itself replaces',
      'INSERT INTO p SELECT id, -v FROM p',
      family('ON CONFLICT REPLACE', 'ON DELETE SET NULL'),
    ],
  ])('%s', (_name, sql, schema) => {
    expect(refusal(sql, schema, members)).toMatch(/may visit .* index what its triggers and foreign keys look for/)
  })

  test('also of one row, behind a key whose values are alike', () => {
    const alike =
      rows('p', 1, () => '1, 1') +
      rows('q', 2_000, (index) => `${index}, 1`) +
      rows('r', 2_000, (index) => `${index}, NULL`)
    expect(refusal('REPLACE INTO p VALUES (1, 2)', family('', 'ON DELETE CASCADE'), alike)).toMatch(/may visit/)
    expect(refusal('INSERT INTO p VALUES (@id, 2)', family('', 'ON DELETE CASCADE'), alike)).toBe('admitted')
  })

  test.each(['NEW.v = name', '+NEW.v = name', 'NEW.id = name', 'name = OLD.rowid'])(
    'and a trigger compares columns as it will when it fires: %s',
    (condition) => {
      expect(refusal('UPDATE a SET v = v || 1', watched(condition), watchedRows)).toMatch(/may visit/)
    },
  )

  test.each([
    [
      'that it adds itself',
      'INSERT INTO log SELECT id, n FROM b',
      "BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'full') WHERE (SELECT sum(n) FROM log) > 9; END",
    ],
    [
      'that its trigger adds',
      'UPDATE b SET n = 1',
      'AFTER UPDATE ON b BEGIN INSERT INTO log VALUES (NEW.id, (SELECT sum(n) FROM log)); END',
    ],
    [
      'that its trigger doubles',
      'UPDATE few SET n = 1',
      'AFTER UPDATE ON few BEGIN INSERT INTO twice SELECT n FROM twice; END',
    ],
  ])('and so do the rows %s on the way', (_name, sql, trigger) => {
    const schema = `CREATE TABLE b (id INTEGER PRIMARY KEY, n INTEGER); CREATE TABLE log (b INTEGER, n INTEGER);
      CREATE TABLE few (n INTEGER); CREATE TABLE twice (n INTEGER); CREATE TRIGGER fires ${trigger};`
    const data = rows('b', 2_000, (index) => `${index}, 0`) + rows('few', 30, () => '0') + rows('twice', 1, () => '0')
    expect(refusal(sql, schema, data)).toMatch(/may visit/)
    expect(refusal(`${sql} WHERE rowid = @id`, schema, data)).toBe('admitted')
  })

  test('but what is searched for by an index of its kind stays admitted', () => {
    for (const condition of ["name = 'n' || NEW.v", 'name = NEW.v'])
      expect(refusal('UPDATE a SET v = v || 1', watched(condition), watchedRows)).toBe('admitted')
    expect(refusal('DELETE FROM p WHERE id = @id', family('', 'ON DELETE CASCADE'), members)).toBe('admitted')
    expect(refusal('DELETE FROM q WHERE p = @id', family('', ''), members)).toBe('admitted')
  })
})

describe('lists count by what they may hold, whatever they are called and wherever they come from:', () => {
  const schema =
    'CREATE TABLE a (id INTEGER PRIMARY KEY, v INTEGER, name TEXT, list TEXT); CREATE TABLE big (id INTEGER PRIMARY KEY, v INTEGER); CREATE VIRTUAL TABLE notes USING fts5(body);'
  const data =
    rows('a', 2, (index) => `${index}, ${index}, 'n', '["new", "blue"]'`) +
    rows('big', 2_000, (index) => `${index}, ${index}`) +
    rows('notes', 200, (index) => `'word ${index}'`)

  test.each([
    ['under the name of a small table', 'SELECT count(*) AS n FROM json_each(@list) AS a, json_each(@list) AS b'],
    [
      'under the name of a column',
      'SELECT count(*) AS n FROM (SELECT @list AS name) AS q, json_each(q.name) AS x, json_each(q.name) AS y',
    ],
    [
      'made of rows',
      'SELECT count(*) AS n FROM json_each((SELECT json_group_array(v) FROM big)) AS x, json_each((SELECT json_group_array(v) FROM big)) AS y',
    ],
    [
      'joined to others',
      "SELECT count(*) AS n FROM big, json_each('[' || (SELECT group_concat(id) FROM big) || ']') AS x WHERE x.value + big.v < 0",
    ],
  ])('%s', (_name, sql) => {
    expect(refusal(sql, schema, data)).toMatch(/may visit/)
  })

  test.each([
    'SELECT big.v FROM big JOIN json_each(@ids) AS j ON j.value = big.id',
    'SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM json_each(a.list) WHERE value = @tag)',
    "INSERT INTO a (v, name) SELECT json_extract(value, '$.v'), json_extract(value, '$.name') FROM json_each(@items)",
    'SELECT n.body FROM notes AS n JOIN a ON a.id = n.rowid WHERE n.body MATCH @query AND EXISTS (SELECT 1 FROM json_each(a.list) WHERE value = @tag)',
  ])('but not so that it refuses %s', (sql) => {
    expect(refusal(sql, schema, data)).toBe('admitted')
  })
})
