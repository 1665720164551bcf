import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const write = (name: string, sql: string, properties: JsonObject = {}): Tool =>
  sqlTool(name, properties, [{ kind: 'run', sql }])

/** Plays the calls on both kinds of instance, beside another one, and compares with full scans after each. */
function check(
  schema: string,
  data: string,
  tools: readonly Tool[],
  calls: readonly (readonly [string, JsonObject?])[],
) {
  const world = environment(database(schema, data), tools)
  const [replay, other, clone] = (['replay', 'replay', 'clone'] as const).map((strategy, seed) =>
    world.open({ seed, strategy }),
  )
  // Twice: the first time tables are scanned, from then on their writes are watched.
  for (let round = 0; round < 2; round++) {
    for (const [name, args = {}] of calls) {
      other?.call(calls[0]?.[0] ?? name, calls[0]?.[1] ?? {})
      const outcome = replay?.call(name, args)
      expect(outcome).toEqual(clone?.call(name, args))
      expect(replay?.diff()).toEqual(replay?.verifyDiff())
      expect(clone?.diff()).toEqual(replay?.diff())
    }
    for (const instance of [replay, other, clone]) instance?.reset()
  }
  for (const instance of [replay, other, clone]) instance?.close()
}

describe('the diff of a replayed instance', () => {
  test('holds rows that REPLACE deleted through another key', () => {
    check(
      'CREATE TABLE seats (line INTEGER NOT NULL, place INTEGER NOT NULL, holder TEXT UNIQUE, PRIMARY KEY (line, place))',
      "INSERT INTO seats VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 3, 'c')",
      [
        write('take', "INSERT OR REPLACE INTO seats VALUES (1, 1, 'b')"),
        write('swap', "UPDATE OR REPLACE seats SET holder = 'c' WHERE place < 2"),
      ],
      [['take'], ['swap'], ['take']],
    )
  })

  test('holds rows that REPLACE deleted through a row id which the table does not show', () => {
    check(
      'CREATE TABLE words (word TEXT PRIMARY KEY, n)',
      "INSERT INTO words VALUES ('a', 1), ('b', 2)",
      [
        write('by_id', "REPLACE INTO words (rowid, word, n) VALUES (1, 'z', 3)"),
        write('by_word', "REPLACE INTO words VALUES ('b', 4)"),
      ],
      [['by_word'], ['by_id'], ['by_word']],
    )
  })

  test('keeps rows apart whose keys the collation or the comparison takes for equal', () => {
    check(
      'CREATE TABLE words (word TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, n); CREATE TABLE any (k PRIMARY KEY NOT NULL, n) WITHOUT ROWID',
      "INSERT INTO words VALUES ('Red', 1); INSERT INTO any VALUES (1, 'integer'), (2.0, 'real')",
      [
        write('spell', "UPDATE words SET word = 'RED' WHERE word = 'red'"),
        write(
          'retype',
          "UPDATE any SET k = CASE typeof(k) WHEN 'real' THEN CAST(k AS INTEGER) ELSE CAST(k AS REAL) END",
        ),
      ],
      [['spell'], ['retype'], ['retype'], ['spell']],
    )
  })

  test('follows a table into NULL keys and out of them again', () => {
    check(
      'CREATE TABLE tags (name TEXT PRIMARY KEY, n)',
      "INSERT INTO tags VALUES ('a', 1), ('b', 2)",
      [
        write('change', 'UPDATE tags SET n = n + 1'),
        write('nameless', 'INSERT INTO tags VALUES (NULL, 1), (NULL, 1)'),
        write('name', "UPDATE tags SET name = 'c' WHERE rowid = (SELECT max(rowid) FROM tags)"),
        write('forget', 'DELETE FROM tags WHERE name IS NULL'),
      ],
      [['change'], ['nameless'], ['change'], ['name'], ['forget'], ['change']],
    )
  })

  test('finds rows by keys that are text with NUL, blobs, 64-bit integers or no valid UTF-8', () => {
    check(
      'CREATE TABLE any (k PRIMARY KEY NOT NULL, n) WITHOUT ROWID',
      "INSERT INTO any VALUES (x'00ff', 1), (9007199254740993, 2), (-9223372036854775808, 3), ('a' || char(0) || 'b', 4), (CAST(x'ff41' AS TEXT), 5), (1e300, 6)",
      [write('change', 'UPDATE any SET n = n + 1'), write('drop', 'DELETE FROM any WHERE n > 5')],
      [['change'], ['change'], ['drop'], ['change']],
    )
  })

  test('holds what triggers and cascades do, also where a trigger ends others early by RAISE (IGNORE)', () => {
    const schema = (extra: string) => `
      CREATE TABLE p (id INTEGER PRIMARY KEY, n); CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p (id) ON DELETE CASCADE);
      CREATE TABLE log (what); CREATE TRIGGER gone AFTER DELETE ON c BEGIN INSERT INTO log VALUES (OLD.id); END; ${extra}`
    const data = 'INSERT INTO p VALUES (1, 0), (2, 0); INSERT INTO c VALUES (1, 1), (2, 1), (3, 2)'
    const tools = [write('drop', 'DELETE FROM p WHERE n = 0'), write('raise', 'UPDATE p SET n = n + 1 WHERE n < 9')]
    check(schema(''), data, tools, [['raise'], ['drop'], ['raise']])
    const ignoring = `CREATE TRIGGER first AFTER UPDATE ON p WHEN NEW.id = 1 BEGIN SELECT RAISE (IGNORE); END;`
    check(schema(ignoring), data, tools, [['raise'], ['drop'], ['raise']])
  })

  test('is right in a table whose name and columns are quoted, reserved or taken by our own log', () => {
    check(
      'CREATE TABLE "or""der" ("group" INTEGER, "ro""w" TEXT, PRIMARY KEY ("group", "ro""w")) WITHOUT ROWID; CREATE TABLE rlenv_written (a); CREATE TABLE rlenv_written_ (a)',
      `INSERT INTO "or""der" VALUES (1, 'a'); INSERT INTO rlenv_written VALUES (1)`,
      [
        write('change', `UPDATE "or""der" SET "ro""w" = "ro""w" || 'x'`),
        write('own', 'UPDATE rlenv_written SET a = a + 1'),
      ],
      [['change'], ['own'], ['change'], ['own']],
    )
  })

  test('equals a full scan for any writes of rows by key', () => {
    const tools = [
      write('put', 'INSERT INTO t (id, n) VALUES (@id, @n) ON CONFLICT (id) DO UPDATE SET n = @n', {
        id: { type: 'integer' },
        n: {},
      }),
      write('move', 'UPDATE t SET id = id + @id WHERE n = @n', { id: { type: 'integer' }, n: {} }),
      write('drop', 'DELETE FROM t WHERE id = @id', { id: { type: 'integer' } }),
    ]
    const args = fc.record({ id: fc.integer({ min: -3, max: 6 }), n: fc.constantFrom(null, 0, 1, 1.5, 'x') })
    const call = fc.tuple(fc.constantFrom('put', 'move', 'drop'), args).map(([name, { id, n }]) => {
      return [name, name === 'drop' ? { id } : { id, n }] as const
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 8 }), (calls) => {
        check('CREATE TABLE t (id INTEGER PRIMARY KEY, n)', 'INSERT INTO t VALUES (1, 0), (2, 1), (4, 1)', tools, calls)
      }),
      { numRuns: 30 },
    )
  })
})
