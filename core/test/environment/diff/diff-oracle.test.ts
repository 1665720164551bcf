import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import type { Row } from '../../../src/vocabulary/database.ts'
import type { StateDiff } from '../../../src/vocabulary/state-diff.ts'
import { database, environment, sqlTool } from '../workshop.ts'

/** One of every kind of table in which a diff could go wrong. */
const schema = `
CREATE TABLE strict_rows (id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB, a ANY) STRICT;
CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT UNIQUE, rank INTEGER UNIQUE, v);
CREATE TABLE reversed (id INTEGER PRIMARY KEY DESC, v);
CREATE TABLE computed (id INTEGER PRIMARY KEY, a INTEGER, twice AS (a * 2), kept AS (a || '!') STORED);
CREATE TABLE pairs (x TEXT, y INTEGER, v, PRIMARY KEY (x, y));
CREATE TABLE packed (x TEXT COLLATE NOCASE, y, v, PRIMARY KEY (x, y)) WITHOUT ROWID;
CREATE TABLE keyless (a, b);
CREATE TABLE hidden (rowid, _rowid_, oid);
CREATE TABLE nodes (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nodes ON DELETE CASCADE ON UPDATE CASCADE, v);
CREATE TABLE leaves (id INTEGER PRIMARY KEY, node INTEGER REFERENCES nodes ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE conflicted (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE, v);
CREATE VIRTUAL TABLE texts USING fts5(body, kind UNINDEXED);
CREATE TRIGGER pair_in AFTER INSERT ON pairs BEGIN INSERT INTO keyless VALUES (NEW.x, NEW.y); END;
CREATE TRIGGER pair_out AFTER DELETE ON pairs BEGIN DELETE FROM keyless WHERE a IS OLD.x; END;
CREATE TRIGGER node_text AFTER UPDATE OF v ON nodes BEGIN UPDATE texts SET body = NEW.v WHERE rowid = NEW.id; END;
`
const data = `
INSERT INTO strict_rows VALUES (1, 1, 1.0, '1', x'01', 1), (2, NULL, NULL, NULL, NULL, 1.0), (3, 9007199254740993, 2.5, '', x'', '1');
INSERT INTO counted (code, rank, v) VALUES ('a', 1, 1), ('b', 2, 1.0), ('c', 3, '1');
INSERT INTO reversed VALUES (1, 1), (2, 2), (9223372036854775806, 3);
INSERT INTO computed (id, a) VALUES (1, 1), (2, 2);
INSERT INTO pairs VALUES ('a', 1, 1), ('a', 2, 2), (NULL, 1, 3), (NULL, 1, 3);
INSERT INTO packed VALUES ('a', 1, 1), ('b', x'00', 2), ('c', 1.5, 3);
INSERT INTO keyless VALUES (1, 1), (1, 1), (1.0, 1), (NULL, NULL);
INSERT INTO hidden VALUES (1, 2, 3), (1, 2, 3);
INSERT INTO nodes VALUES (1, NULL, 'root'), (2, 1, 'one'), (3, 2, 'two'), (4, 1, 'three');
INSERT INTO leaves VALUES (1, 2), (2, 3), (3, 3);
INSERT INTO conflicted VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO texts VALUES ('the root', 1), ('number one', 2);
`

const writes = [
  'INSERT INTO strict_rows (id, n, r, t, a) VALUES (@id, @id, @id, @word, @any)',
  'UPDATE strict_rows SET a = @any WHERE id = @id',
  'UPDATE strict_rows SET n = 9007199254740993, b = CAST(@word AS BLOB), a = @any WHERE n IS NOT NULL',
  'REPLACE INTO strict_rows (id, t) VALUES (@id, @word)',
  'INSERT INTO counted (code, rank, v) VALUES (@word, @id, @any)',
  'INSERT OR REPLACE INTO counted (id, code, rank, v) VALUES (@id, @word, @other, @any)',
  'INSERT OR IGNORE INTO counted (code, rank) VALUES (@word, @id)',
  'INSERT INTO counted (code, rank) VALUES (@word, @id) ON CONFLICT (code) DO UPDATE SET rank = excluded.rank',
  'UPDATE OR REPLACE counted SET rank = @other WHERE id = @id',
  'DELETE FROM counted WHERE id = @id',
  'UPDATE reversed SET id = @other WHERE id = @id',
  'DELETE FROM reversed',
  'INSERT INTO reversed (v) VALUES (@any)',
  'UPDATE computed SET a = @other WHERE id = @id',
  'INSERT INTO computed (id, a) VALUES (@id, @other)',
  'INSERT INTO pairs VALUES (@word, @id, @any)',
  'INSERT OR REPLACE INTO pairs VALUES (@word, @id, @any)',
  'UPDATE pairs SET x = NULL WHERE y = @id',
  'DELETE FROM pairs WHERE x IS @word',
  'REPLACE INTO packed VALUES (@word, @id, @any)',
  'UPDATE OR REPLACE packed SET y = @other WHERE y = @id',
  'INSERT INTO keyless VALUES (@any, @any)',
  'UPDATE keyless SET b = @any WHERE a = @id',
  'DELETE FROM keyless WHERE a = @id',
  'INSERT INTO hidden VALUES (@id, @id, @any)',
  'DELETE FROM hidden WHERE rowid = @id',
  'UPDATE nodes SET id = @other WHERE id = @id',
  'DELETE FROM nodes WHERE id = @id',
  'INSERT OR REPLACE INTO nodes VALUES (@id, @other, @word)',
  'UPDATE nodes SET v = @word WHERE id = @id',
  'INSERT INTO conflicted VALUES (@id, @word, @any)',
  'UPDATE conflicted SET u = @word WHERE id = @id',
  'INSERT INTO texts VALUES (@word, @id)',
  'UPDATE texts SET body = @word WHERE rowid = @id',
  "DELETE FROM texts WHERE texts MATCH 'root OR one'",
]

const tools = writes.map((sql, index) =>
  sqlTool(
    `write_${index}`,
    { id: { type: 'integer' }, other: { type: 'integer' }, word: { type: 'string' }, any: {} },
    [{ kind: 'run', sql }],
    ['id', 'other', 'word'],
  ),
)
const world = environment(database(schema, data), tools)

const call = fc.record({
  name: fc.constantFrom(...tools.map((tool) => tool.name)),
  args: fc.record({
    id: fc.integer({ min: 0, max: 5 }),
    other: fc.integer({ min: 1, max: 6 }),
    word: fc.constantFrom('a', 'A', 'b', 'd', 'the root', ''),
    any: fc.constantFrom(null, 0, 1, 1.5, -1e300, '1', '1.0', 'é', true, [1]),
  }),
})

type Bag = Map<string, number>

function count(bag: Bag, table: string, row: Row, by: number): void {
  const text = `${table} ${JSON.stringify(row)}`
  const next = (bag.get(text) ?? 0) + by
  if (next === 0) bag.delete(text)
  else bag.set(text, next)
}

/** All rows of all tables, read past everything that a diff is made with. */
function contents(instance: EnvironmentInstance): Bag {
  const bag: Bag = new Map()
  for (const table of world.tables)
    for (const row of instance.query(`SELECT * FROM ${table}`)) count(bag, table, row, 1)
  return bag
}

function apply(bag: Bag, diff: StateDiff): Bag {
  const changed = new Map(bag)
  for (const change of diff) {
    if (change.kind !== 'insert') count(changed, change.table, change.before, -1)
    if (change.kind !== 'delete') count(changed, change.table, change.after, 1)
  }
  return changed
}

describe.each(['clone', 'replay'] as const)('row diffs of a %s', (strategy) => {
  test('are what a full scan finds, and lead from each state to the next', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 14 }), (calls) => {
        const instance = world.open({ seed: 1, strategy })
        const start = contents(instance)
        let state = start
        for (const { name, args } of calls) {
          const { result, diff } = instance.call(name, args)
          if (!result.ok) expect(diff).toEqual([])
          state = apply(state, diff)
          expect(state).toEqual(contents(instance))
          expect(instance.diff()).toEqual(instance.verifyDiff())
        }
        expect(apply(start, instance.diff())).toEqual(state)
        const fork = instance.fork()
        expect(fork.diff()).toEqual(instance.diff())
        for (const open of [instance, fork]) open.close()
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test('hold the row that REPLACE deleted by a key that is equal and not the same', () => {
    const instance = world.open({ seed: 1, strategy })
    const turns = [
      ['A', 1],
      ['a', 1],
      ['A', 1],
    ] as const
    for (const [word, id] of turns) {
      const before = contents(instance)
      const { diff } = instance.call('write_19', { id, other: 1, word, any: null })
      expect(apply(before, diff)).toEqual(contents(instance))
    }
    expect(instance.diff()).toEqual(instance.verifyDiff())
    instance.close()
  })

  test('hold a row that only changed between 1, 1.0 and "1"', () => {
    const instance = world.open({ seed: 1, strategy })
    const to = (any: number | string) => instance.call('write_1', { id: 1, other: 1, word: 'a', any }).diff
    expect(to(1)).toEqual([])
    expect(to('1')).toMatchObject([{ kind: 'update', before: { a: 1 }, after: { a: '1' } }])
    expect(to('1.0')).toMatchObject([{ kind: 'update', before: { a: '1' }, after: { a: '1.0' } }])
    expect(to(1)).toMatchObject([{ kind: 'update', after: { a: 1 } }])
    expect(instance.diff()).toEqual([])
    instance.close()
  })

  test('never show the sequence of AUTOINCREMENT, which still goes on after its last row is gone', () => {
    const instance = world.open({ seed: 1, strategy })
    const add = () => instance.call('write_4', { id: 9, other: 1, word: 'new', any: null }).diff
    expect(add()).toMatchObject([{ kind: 'insert', table: 'counted', key: { id: 4 } }])
    instance.call('write_9', { id: 4, other: 1, word: 'a' })
    expect(instance.diff()).toEqual([])
    const fork = instance.fork()
    expect(add()).toMatchObject([{ key: { id: 5 } }])
    expect(fork.call('write_4', { id: 9, other: 1, word: 'new', any: null }).diff).toMatchObject([{ key: { id: 5 } }])
    for (const open of [instance, fork]) open.close()
  })

  test('hold every row that cascades reach, in the order of tables and keys', () => {
    const instance = world.open({ seed: 1, strategy })
    const { diff } = instance.call('write_27', { id: 2, other: 1, word: 'a' })
    expect(diff.map(({ kind, table, key }) => [kind, table, key.id])).toEqual([
      ['update', 'leaves', 1],
      ['update', 'leaves', 2],
      ['update', 'leaves', 3],
      ['delete', 'nodes', 2],
      ['delete', 'nodes', 3],
    ])
    instance.close()
  })
})
