import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { loadParts } from '../../src/environment/load-environment.ts'
import { HypotheticalStates } from '../../src/synthesis/gate/hypothetical-state.ts'
import type { RowChange, StateDiff } from '../../src/vocabulary/state-diff.ts'

const schema = `
CREATE TABLE by_text (id TEXT PRIMARY KEY NOT NULL, v TEXT) STRICT;
CREATE TABLE by_two (a TEXT, b INTEGER, v TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE by_number (id INTEGER PRIMARY KEY, v TEXT, twice TEXT AS (v || v));
CREATE TABLE by_real (id REAL PRIMARY KEY, v TEXT);
CREATE TABLE by_nothing (v TEXT);
CREATE TABLE by_null (id TEXT PRIMARY KEY, v TEXT);
CREATE TABLE by_case (id TEXT PRIMARY KEY COLLATE NOCASE, v TEXT);
`
const data = `
INSERT INTO by_text VALUES ('a', 'x'), ('b', 'x'), ('c', 'x');
INSERT INTO by_two VALUES ('a', 1, 'x'), ('a', 2, 'x'), ('b', 1, 'x');
INSERT INTO by_number (id, v) VALUES (1, 'x'), (2, 'x'), (9007199254740993, 'x');
INSERT INTO by_real VALUES (1.0, 'x'), (2.0, 'x'), (2.5, 'x');
INSERT INTO by_nothing VALUES ('x'), ('x');
INSERT INTO by_null VALUES (NULL, 'x'), (NULL, 'y'), ('a', 'x');
INSERT INTO by_case VALUES ('a', 'x'), ('B', 'x');
`
const database = { schema, data, clock: '2026-01-01T00:00:00.000Z', annotations: {} }
const executable = loadParts({ database, tools: [], scripts: {} })
const states = new HypotheticalStates(executable)
afterAll(() => states.close())

/** Every row of the initial state, with what tells it apart. */
const rows = executable.image.tables.flatMap((table) => {
  const identity = table.primaryKey
  return executable.initial.rows(table.name).flatMap((row): RowChange[] => {
    const key = Object.fromEntries(identity.map((name) => [name, row[name] ?? null]))
    if (identity.length === 0 || Object.values(key).includes(null)) return []
    return [{ kind: 'delete', table: table.name, key, before: row }]
  })
})

const changed = fc.constantFrom('update', 'delete', 'none')
const inserted = fc.subarray<RowChange>([
  { kind: 'insert', table: 'by_text', key: { id: 'd' }, after: { id: 'd', v: 'new' } },
  { kind: 'insert', table: 'by_two', key: { a: 'b', b: 2 }, after: { a: 'b', b: 2, v: 'new' } },
  { kind: 'insert', table: 'by_number', key: { id: 3 }, after: { id: 3, v: 'new', twice: 'newnew' } },
  { kind: 'insert', table: 'by_real', key: { id: 4 }, after: { id: 4, v: 'new' } },
  { kind: 'insert', table: 'by_null', key: { id: 'b' }, after: { id: 'b', v: 'new' } },
  { kind: 'insert', table: 'by_case', key: { id: 'c' }, after: { id: 'c', v: 'new' } },
])

function alter(row: RowChange, how: 'update' | 'delete' | 'none'): RowChange[] {
  if (row.kind !== 'delete' || how === 'none') return []
  if (how === 'delete') return [row]
  const { table, key, before } = row
  const after = { ...before, v: 'new', ...('twice' in before ? { twice: 'newnew' } : {}) }
  return [{ kind: 'update', table, key, before, after }]
}

const inOrder = (diff: StateDiff) => diff.map((change) => JSON.stringify(change)).sort()

test('rows that are read one by one make the diff that a scan of the tables makes, whatever tells rows apart', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(changed, { minLength: rows.length, maxLength: rows.length }),
      inserted,
      async (how, more) => {
        const diff = [...rows.flatMap((row, index) => alter(row, how[index] ?? 'none')), ...more]
        const shown = await states.show(diff, async (state) => {
          for (const { name } of executable.image.tables) state.reader.rows(name)
          return state.diff
        })
        expect(inOrder(shown ?? [])).toEqual(inOrder(diff))
      },
    ),
    { numRuns: 200 },
  )
})

test('a row without a key is found by a scan', async () => {
  const [first] = executable.initial.rows('by_null').filter((row) => row.id === null)
  const diff: StateDiff = [{ kind: 'delete', table: 'by_null', key: { id: null }, before: first ?? {} }]
  const shown = await states.show(diff, async (state) => state.diff)
  expect(shown?.map(({ kind, key }) => ({ kind, key }))).toEqual(
    Array.from({ length: 2 }, () => ({ kind: 'delete', key: { id: null } })),
  )
})

test('a table that replaces rows on conflict shows also those that it lost', async () => {
  const replacing = loadParts({
    database: {
      ...database,
      schema: 'CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE ON CONFLICT REPLACE) STRICT;',
      data: "INSERT INTO t VALUES ('a', 'x'), ('b', 'y');",
    },
    tools: [],
    scripts: {},
  })
  const own = new HypotheticalStates(replacing)
  const change: RowChange = { kind: 'insert', table: 't', key: { id: 'c' }, after: { id: 'c', name: 'x' } }
  const shown = await own.show([change], async (state) => state.diff)
  own.close()
  expect(shown?.map(({ kind, key }) => [kind, key.id])).toEqual([
    ['delete', 'a'],
    ['insert', 'c'],
  ])
})
