import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { buildImage } from '../../../src/environment/image/build-image.ts'
import { isRlenvError } from '../../../src/errors/rlenv-error.ts'
import { database } from '../workshop.ts'

function refusal(schema: string, data = ''): string {
  try {
    buildImage(database(schema, data))
  } catch (thrown) {
    if (isRlenvError(thrown)) {
      expect(thrown.code).toBe('RLENV_DATABASE_INVALID')
      return thrown.message
    }
    throw thrown
  }
  throw new Error('the database was accepted')
}

describe('buildImage', () => {
  test('loads tables that need each other, and children before their parents', () => {
    const image = buildImage(
      database(
        `CREATE TABLE teams (id INTEGER PRIMARY KEY, captain_id INTEGER NOT NULL REFERENCES players(id));
         CREATE TABLE players (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES teams(id));
         CREATE TABLE employees (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES employees(id));`,
        `INSERT INTO teams VALUES (1, 5); INSERT INTO players VALUES (5, 1), (6, 1);
         INSERT INTO employees VALUES (2, 1); INSERT INTO employees VALUES (1, NULL);`,
      ),
    )
    expect(image.tables.map((table) => table.name)).toEqual(['employees', 'players', 'teams'])
  })

  test('names the row of an orphan and a foreign key without a unique parent in one error', () => {
    const message = refusal(
      `CREATE TABLE clinics (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
       CREATE TABLE vets (id INTEGER PRIMARY KEY, clinic_id INTEGER NOT NULL REFERENCES clinics(id) ON DELETE CASCADE, name TEXT);
       CREATE TABLE visits (id INTEGER PRIMARY KEY, vet_id INTEGER REFERENCES vets(id), at TEXT);
       CREATE TABLE zones (label TEXT);
       CREATE TABLE gates (zone TEXT REFERENCES zones(label));`,
      `INSERT INTO visits VALUES (1, 10, '2026-02-01'), (2, 77, '2026-02-02');
       INSERT INTO vets VALUES (10, 1, 'Oda'); INSERT INTO clinics VALUES (1, 'North');`,
    )
    expect(message).toMatch(/^2 faults/)
    expect(message).toContain('visits rowid 2: visits.vet_id refers to no row of vets')
    expect(message).toContain('foreign key gates.zone → zones.label: zones.label is neither a primary key nor UNIQUE')
  })

  test('accepts a parent that is unique by an index or by a composite key in another order', () => {
    buildImage(
      database(
        `CREATE TABLE a (x, y, z, PRIMARY KEY (x, y)); CREATE UNIQUE INDEX z_once ON a (z);
         CREATE TABLE b (y, x, z REFERENCES a (z), FOREIGN KEY (y, x) REFERENCES a (y, x));`,
        'INSERT INTO b VALUES (2, 1, 3); INSERT INTO a VALUES (1, 2, 3)',
      ),
    )
    expect(
      refusal('CREATE TABLE p (x); CREATE UNIQUE INDEX some ON p (x) WHERE x > 0; CREATE TABLE c (x REFERENCES p (x))'),
    ).toContain('UNIQUE')
    expect(refusal('CREATE TABLE c (x REFERENCES nowhere (y))')).toContain('there is no table nowhere')
    expect(refusal('CREATE TABLE p (x); CREATE TABLE c (x REFERENCES p (y))')).toContain('p has no column y')
  })

  test.each([
    'CREATE TABLE zones (label TEXT); CREATE UNIQUE INDEX label ON zones (label COLLATE NOCASE)',
    'CREATE TABLE zones (label TEXT, PRIMARY KEY (label COLLATE NOCASE))',
  ])('names tables whose parents cannot be looked up because of a collation: %s', (zones) => {
    const message = refusal(
      `${zones}; CREATE TABLE gates (zone TEXT REFERENCES zones (label));
       CREATE TABLE keys (zone TEXT REFERENCES nowhere (label))`,
    )
    expect(message).toMatch(/^2 faults/)
    expect(message).toContain('foreign keys of gates: foreign key mismatch - "gates" referencing "zones"')
    expect(message).toContain('foreign key keys.zone')
  })

  test('names views that cannot be read, as by a text in double quotes', () => {
    const message = refusal(
      `CREATE TABLE t (name TEXT); CREATE VIEW named AS SELECT * FROM t WHERE name = "Ana";
       CREATE VIEW lost AS SELECT * FROM nowhere; CREATE VIEW good AS SELECT * FROM t WHERE name = 'Ana'`,
    )
    expect(message).toMatch(/^2 faults/)
    expect(message).toContain('view named: no such column: "Ana" - should this be a string literal in single-quotes?')
    expect(message).toContain('view lost: no such table: main.nowhere')
  })

  test('lists every statement that fails instead of stopping at the first', () => {
    const message = refusal(
      'CREATE TABLE t (a INTEGER NOT NULL) STRICT; CREATE TABEL u (x)',
      "INSERT INTO t VALUES (NULL); INSERT INTO t VALUES ('x'); INSERT INTO nowhere VALUES (1)",
    )
    expect(message).toMatch(/^4 faults/)
    expect(message).toContain('schema statement 2 "CREATE TABEL u (x)"')
    expect(message).toContain('data statement 1 "INSERT INTO t VALUES (NULL)": NOT NULL constraint failed: t.a')
    expect(message).toContain('no such table: nowhere')
  })

  test.each([
    ["ATTACH 'other.db' AS other", ''],
    ['/* x */ PRAGMA writable_schema = ON', ''],
    ["VACUUM INTO '/tmp/out.db'", ''],
    ['CREATE TEMP TABLE t (x)', ''],
    ['CREATE TABLE t AS SELECT 1 AS x', ''],
    ['CREATE VIRTUAL TABLE t USING dbstat', ''],
    ['CREATE TABLE t (x)', "INSERT INTO t VALUES (load_extension('evil'))"],
    ['CREATE TABLE t (x)', 'INSERT INTO t VALUES (randomblob(9))'],
    ['CREATE TABLE t (x)', "INSERT INTO t VALUES (printf('%d', 1))"],
    ['CREATE TABLE t (x)', 'BEGIN; INSERT INTO t VALUES (1); COMMIT'],
    [
      'CREATE TABLE t (x)',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO t SELECT i FROM n',
    ],
    [
      'CREATE TABLE t (x)',
      'INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
    ],
    ['CREATE TABLE t (x)', 'INSERT INTO t SELECT name FROM sqlite_master'],
  ])('refuses %s %s', (schema, data) => {
    expect(refusal(schema, data)).toMatch(/fault/)
  })

  test.each([
    'INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
    'INSERT INTO t SELECT a.x FROM t a, t b, t c, t d WHERE NEW.x = a.x',
    "SELECT RAISE(ABORT, 'no') WHERE NEW.x = load_extension('evil')",
    'DELETE FROM sqlite_sequence',
  ])('refuses a trigger that may run for ever or reach out: %s', (body) => {
    const schema = `CREATE TABLE t (x); CREATE TABLE s (x); CREATE TRIGGER boom AFTER INSERT ON s BEGIN ${body}; END`
    expect(refusal(schema, 'INSERT INTO s VALUES (1)')).toContain('trigger boom')
  })

  test('keeps semicolons in strings, comments, names and triggers inside their statements', () => {
    const image = buildImage(
      database(
        `CREATE TABLE "a;b" (x TEXT DEFAULT ';'); -- a comment; with a semicolon
         CREATE TABLE log (m); /* another; one */
         CREATE TRIGGER t AFTER INSERT ON "a;b" BEGIN
           INSERT INTO log VALUES (CASE WHEN NEW.x = 'it''s; fine' THEN 'yes' ELSE 'no' END);
           INSERT INTO log VALUES ('end');
         END;
         CREATE VIEW v AS SELECT ';' AS semi;`,
        `INSERT INTO "a;b" VALUES ('it''s; fine');`,
      ),
    )
    const db = new Database(image.bytes)
    expect(db.prepare('SELECT m FROM log').pluck().all()).toEqual(['yes', 'end'])
    db.close()
  })

  test('says of an R-tree that it cannot be part of a world, and what to do instead', () => {
    expect(refusal('CREATE VIRTUAL TABLE places USING rtree (id, west, east)')).toMatch(
      /^1 fault .*\n.*module rtree is not allowed, only fts5; store bounds in columns of a table, with an index on them$/,
    )
  })

  test('names a trigger whose condition names a column that its table has not', () => {
    const schema = 'CREATE TABLE t (x TEXT COLLATE NOCASE); CREATE TRIGGER looks AFTER INSERT ON t BEGIN'
    expect(refusal(`${schema} DELETE FROM t WHERE x = NEW.y; END;`, 'INSERT INTO t VALUES (1)')).toContain('NEW.y')
  })

  test('lets the clock stand still in defaults, whatever the time zone', () => {
    const image = buildImage(
      database(
        `CREATE TABLE t (id INTEGER PRIMARY KEY, a DEFAULT CURRENT_TIMESTAMP, b DEFAULT CURRENT_DATE, c DEFAULT CURRENT_TIME,
           d DEFAULT (datetime('now', 'localtime')), e DEFAULT (date('now', '+1 month')), f DEFAULT (strftime('%Y')),
           g DEFAULT (unixepoch()), h DEFAULT (julianday('now')))`,
        'INSERT INTO t (id) VALUES (1)',
      ),
    )
    const db = new Database(image.bytes)
    expect(db.prepare('SELECT *, typeof(g) AS kind FROM t').get()).toEqual({
      id: 1,
      a: '2026-03-01 09:00:00',
      b: '2026-03-01',
      c: '09:00:00',
      d: '2026-03-01 09:00:00',
      e: '2026-04-01',
      f: '2026',
      g: 1772355600,
      h: 2461100.875,
      kind: 'integer',
    })
    db.close()
  })

  test('gives equal bytes for equal drafts, in small pages and rollback-journal mode', () => {
    const draft = database('CREATE TABLE t (x DEFAULT (random()))', 'INSERT INTO t DEFAULT VALUES')
    const [a, b] = [buildImage(draft), buildImage(draft)]
    expect(a.bytes.equals(b.bytes)).toBe(true)
    expect(a.hash).toBe(b.hash)
    expect(buildImage({ ...draft, clock: '2027-01-01T00:00:00.000Z' }).hash).not.toBe(a.hash)
    expect([a.bytes.readUInt16BE(16), a.bytes[18], a.bytes[19]]).toEqual([1024, 1, 1])
  })

  test('uses larger pages for a large database', () => {
    const row = `('${'x'.repeat(1000)}')`
    const image = buildImage(database('CREATE TABLE t (x)', `INSERT INTO t VALUES ${Array(600).fill(row).join(',')}`))
    expect(image.bytes.readUInt16BE(16)).toBe(4096)
  })

  test('makes an image of nothing from an empty draft', () => {
    expect(buildImage(database('')).tables).toEqual([])
  })

  test.each(['pragma_table_info', 'sqlite_master', '"sqlite_schema"', 'dbstat'])('refuses a view of %s', (name) => {
    const message = refusal(
      `CREATE TABLE t (x); CREATE VIEW inside AS SELECT x FROM t WHERE x IN (SELECT 1 FROM ${name})`,
    )
    expect(message).toContain(`names ${name.replaceAll('"', '')}, which is not open to views`)
  })

  test.each([
    ['one after the other', (at: number) => `g${at} TEXT AS (g${at - 1} || g${at - 1})`],
    [
      'in quotes and other case',
      (at: number) => `"G${at}" TEXT GENERATED ALWAYS AS ("g${at - 1}" || [G${at - 1}]) STORED`,
    ],
  ])('refuses generated columns that double each other, before they are written out: %s', (_how, column) => {
    const table = (columns: number) =>
      `CREATE TABLE t (id INTEGER PRIMARY KEY, g0 TEXT, ${Array.from({ length: columns }, (_, at) => column(at + 1)).join(', ')})`
    expect(refusal(table(40))).toMatch(/generated column g13 comes to 8192 copies of g0, at most 4096/)
    expect(buildImage(database(table(5))).tables).toHaveLength(1)
  })

  test('sees that rows double, however few there were at first', () => {
    const doubled = 'INSERT INTO t SELECT x + 1 FROM t;'.repeat(40)
    const message = refusal('CREATE TABLE t (x)', `INSERT INTO t VALUES (1); ${doubled}`)
    expect(message).toMatch(/data statement 2\d "INSERT INTO t SELECT.*may (?:visit|change)/)
    const crossed = 'INSERT INTO t SELECT a.x FROM t a, t b, t c, t d WHERE a.x < 0;'
    const many = 'INSERT INTO t VALUES (1);'.repeat(60)
    expect(refusal('CREATE TABLE t (x)', `${crossed} ${many} ${crossed}`)).toMatch(/^1 fault .*\n.*data statement 62 /)
  })

  test('loads thousands of statements that look keys up', () => {
    const rows = Array.from(
      { length: 3_000 },
      (_, at) => `INSERT INTO t (code, p) VALUES ('c${at}', (SELECT id FROM t WHERE code = 'c${at - 1}'));`,
    )
    const image = buildImage(
      database('CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, p INTEGER REFERENCES t (id))', rows.join('')),
    )
    const db = new Database(image.bytes)
    expect(db.prepare('SELECT count(*) FROM t WHERE p = id - 1').pluck().get()).toBe(2_999)
    db.close()
  })
})
