import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../../src/determinism/random-stream.ts'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import { compareStrategies } from '../../../src/testing/compare-strategies.ts'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'
import { randomWrites } from './random-writes.ts'

/** A long run takes minutes: RLENV_COMPARED_CALLS=100000 npx vitest run --project core dependent-rows */
const calls = Number(process.env.RLENV_COMPARED_CALLS ?? 5_000)
const timeout = 60_000 + calls * 20

const id = { type: 'integer' } as const
const write = (name: string, sql: string, properties: JsonObject = {}): Tool =>
  sqlTool(name, properties, [{ kind: 'run', sql }])

test('a replayed instance and a clone cannot be told apart by writes that nobody has thought of', {
  timeout,
}, async () => {
  const worlds = Math.ceil(calls / 250)
  let writes = 0
  for (let seed = 0; seed < worlds; seed++) {
    const random = RandomStream.of(seed, 'random-writes')
    const compared = await compareStrategies({ environment: randomWrites(random), calls: 250, seed, instances: 12 })
    expect([seed, compared.examples]).toEqual([seed, []])
    writes += compared.writes
  }
  expect(writes).toBeGreaterThan(worlds * 50)
})

/** Rows that an index lists in another order than their keys. */
const ranked = `CREATE TABLE t (id INTEGER PRIMARY KEY, lane INTEGER, rank INTEGER UNIQUE, n INTEGER DEFAULT (random() % 1000));
CREATE INDEX t_lane ON t (lane);
CREATE TABLE codes (code TEXT PRIMARY KEY, n INTEGER);
CREATE TABLE old_codes (code TEXT PRIMARY KEY, n INTEGER);
CREATE TABLE staff (id INTEGER PRIMARY KEY, boss_id INTEGER REFERENCES staff (id) ON DELETE SET NULL);
CREATE TABLE pages (page TEXT PRIMARY KEY, n INTEGER);
CREATE TABLE links (page INTEGER REFERENCES pages (page) ON DELETE CASCADE);
CREATE INDEX links_page ON links (page);`
const rankedRows = `INSERT INTO t VALUES (1, 3, 10, 1), (2, 2, 20, 2), (3, 1, 30, 3);
INSERT INTO codes VALUES ('a', 1), ('b', 2), ('c', 3); DELETE FROM codes WHERE code = 'a';
INSERT INTO staff VALUES (1, NULL), (2, 1); INSERT INTO pages VALUES ('007', 1);`

describe('a write whose rows depend on each other', () => {
  test.each([
    ['keeps one of several alike', 'UPDATE OR IGNORE t SET rank = 5 WHERE lane >= 1'],
    ['would fail in another order', 'UPDATE t SET rank = rank - 10 WHERE lane >= 1'],
    ['looks at its own table', 'UPDATE t SET n = (SELECT max(n) FROM t AS o WHERE o.id <> t.id) + 1 WHERE lane >= 1'],
    ['draws where and what', 'UPDATE t SET n = random() WHERE random() % 2 = 0'],
    ['draws what it selects and a default', 'INSERT INTO t (lane) SELECT random() % 9 FROM codes'],
    ['copies a table with its row ids', 'INSERT INTO old_codes SELECT * FROM codes'],
    ['puts a row in its own boss’s place', 'REPLACE INTO staff VALUES (1, 9)'],
    ['deletes what columns of another type refer to', "DELETE FROM pages WHERE page > ''"],
  ])('leaves the same in a watched table: it %s', (_name, sql) => {
    const look = ['t', 'old_codes', 'staff'].map((table) =>
      sqlTool(`look_${table}`, {}, [{ kind: 'rows', sql: `SELECT rowid, * FROM ${table}` }]),
    )
    const touch = ['t', 'old_codes', 'pages'].map((table) => write(`touch_${table}`, `UPDATE ${table} SET n = n`))
    const world = environment(database(ranked, rankedRows), [
      write('do', sql),
      write('touch_staff', 'UPDATE staff SET boss_id = boss_id'),
      ...touch,
      ...look,
    ])
    // What two instances have written without a key is watched from then on.
    for (const seed of [1, 2]) {
      const first = world.open({ seed, strategy: 'replay' })
      for (const table of ['t', 'old_codes', 'staff', 'pages']) first.call(`touch_${table}`, {})
      first.close()
    }
    const [replay, clone] = (['replay', 'clone'] as const).map((strategy) => world.open({ seed: 1, strategy })) as [
      EnvironmentInstance,
      EnvironmentInstance,
    ]
    for (const name of ['do', 'look_t', 'do', 'look_old_codes', 'look_staff', 'touch_t'])
      expect([name, replay.call(name, {})]).toEqual([name, clone.call(name, {})])
    expect(replay.diff()).toEqual(clone.verifyDiff())
    for (const instance of [replay, clone]) instance.close()
  })

  test('makes a clone of its instance; everyday writes do not, nor failures of single rows', () => {
    const world = environment(database(ranked, rankedRows), [
      write('rerank', 'UPDATE OR IGNORE t SET rank = 5 WHERE lane >= 1'),
      write('clash', 'UPDATE t SET lane = lane + 1, rank = 10 WHERE id > 1'),
      write('many', 'UPDATE t SET n = n + 1 WHERE lane >= 1'),
      write('one', 'UPDATE t SET rank = rank + 1 WHERE id = @id', { id }),
      write('add', 'INSERT INTO t (lane, rank) VALUES (1, @id)', { id }),
      write('drop', 'DELETE FROM t WHERE lane = @id', { id }),
    ])
    const held = (name: string, args: JsonObject = {}) => {
      const instance = world.open({ seed: 1, strategy: 'replay' })
      const { result } = instance.call(name, args)
      const seen = [result.ok, instance.strategy]
      instance.close()
      return seen
    }
    expect(held('many')).toEqual([true, 'replay'])
    expect(held('one', { id: 1 })).toEqual([true, 'replay'])
    expect(held('add', { id: 40 })).toEqual([true, 'replay'])
    expect(held('add', { id: 10 })).toEqual([false, 'replay'])
    expect(held('drop', { id: 1 })).toEqual([true, 'replay'])
    expect(held('rerank')).toEqual([true, 'clone'])
    expect(held('clash')).toEqual([false, 'clone'])
  })
})
