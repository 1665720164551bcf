import { describe, expect, test } from 'vitest'
import type { SqlStep, Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const error = { code: 'not_found', message: 'No {name}.' }
const gone = { code: 'gone', message: 'Gone.' }

const lockers = database(
  `CREATE TABLE lockers (locker_no TEXT PRIMARY KEY, holder TEXT);
   CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, locker_no TEXT REFERENCES lockers (locker_no), tag, fragile, note TEXT);`,
  `INSERT INTO lockers VALUES ('7', NULL), ('007', NULL), ('12', 'ines');
   INSERT INTO parcels VALUES (1, '12', 'a', 0, NULL), (2, '12', 9007199254740993, 1, 'x');`,
)

describe('a declarative tool', () => {
  test('never stores a number as "7.0" in a text column', () => {
    const schema = { parcel_id: { type: 'integer' }, locker_no: { type: 'string' } }
    const steps: SqlStep[] = [
      { kind: 'run', sql: 'UPDATE parcels SET locker_no = @locker_no WHERE parcel_id = @parcel_id' },
    ]
    const loose = { parcel_id: { type: 'integer' }, locker_no: {} }
    const world = environment(lockers, [sqlTool('move_parcel', schema, steps), sqlTool('move_loosely', loose, steps)])
    const instance = world.open({ seed: 0 })
    const stored = () => instance.query('SELECT locker_no, typeof(locker_no) AS kind FROM parcels WHERE parcel_id = 1')
    for (const locker of ['7', '007']) {
      expect(instance.call('move_parcel', { parcel_id: 1, locker_no: locker }).result.ok).toBe(true)
      expect(stored()).toEqual([{ locker_no: locker, kind: 'text' }])
    }
    const refused = instance.call('move_parcel', { parcel_id: 1, locker_no: 7 })
    expect(refused.result).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } })
    expect(JSON.stringify(refused.result)).toMatch(/locker_no.*string/)
    expect(stored()).toEqual([{ locker_no: '007', kind: 'text' }])
    expect(instance.call('move_loosely', { parcel_id: 1, locker_no: 7 }).result.ok).toBe(true)
    expect(stored()).toEqual([{ locker_no: '7', kind: 'text' }])
    instance.close()
  })

  test('binds integers, booleans, lists and nothing as what they are', () => {
    const put = sqlTool(
      'put',
      { tag: {}, fragile: { type: 'boolean' }, note: {} },
      [
        { kind: 'run', sql: 'UPDATE parcels SET tag = @tag, fragile = @fragile, note = @note WHERE parcel_id = 1' },
        {
          kind: 'row',
          sql: 'SELECT typeof(tag) AS tag, typeof(fragile) AS fragile, fragile AS value, note FROM parcels WHERE parcel_id = 1',
          error: gone,
        },
      ],
      [],
    )
    const instance = environment(lockers, [put]).open({ seed: 0 })
    expect(instance.call('put', { tag: 7, fragile: true, note: ['a', { b: 1 }] }).result).toMatchObject({
      content: { tag: 'integer', fragile: 'integer', value: 1, note: '["a",{"b":1}]' },
    })
    expect(instance.call('put', { tag: 7.5 }).result).toMatchObject({
      content: { tag: 'real', fragile: 'null', note: null },
    })
    instance.close()
  })

  test('hands 64-bit integers over exactly', () => {
    const get = sqlTool('get', { id: { type: 'integer' } }, [
      { kind: 'row', sql: 'SELECT tag FROM parcels WHERE parcel_id = @id', error: gone },
    ])
    const instance = environment(lockers, [get]).open({ seed: 0 })
    expect(instance.call('get', { id: 2 }).result).toEqual({
      ok: true,
      content: { tag: { $int64: '9007199254740993' } },
    })
    instance.close()
  })

  test('stops at its row limit and says that there is more', () => {
    const many = Array.from({ length: 300 }, (_, i) => `(${i})`).join(',')
    const world = environment(database('CREATE TABLE t (x INTEGER PRIMARY KEY)', `INSERT INTO t VALUES ${many}`), [
      sqlTool('list_all', {}, [{ kind: 'rows', sql: 'SELECT x FROM t ORDER BY x' }]),
      sqlTool('list_some', {}, [{ kind: 'rows', sql: 'SELECT x FROM t ORDER BY x', limit: 2 }]),
      sqlTool('list_pairs', {}, [{ kind: 'rows', sql: 'SELECT a.x, b.x AS y FROM t a, t b', limit: 3 }]),
      sqlTool('list_few', {}, [{ kind: 'rows', sql: 'SELECT x FROM t WHERE x < 2 ORDER BY x', limit: 2 }]),
    ])
    const instance = world.open({ seed: 0 })
    expect(instance.call('list_all', {}).result).toMatchObject({
      notice: 'only the first 200 rows are shown; there are more',
    })
    expect(instance.call('list_some', {}).result).toEqual({
      ok: true,
      content: [{ x: 0 }, { x: 1 }],
      notice: 'only the first 2 rows are shown; there are more',
    })
    expect(instance.call('list_pairs', {}).result).toMatchObject({ content: { length: 3 }, notice: expect.any(String) })
    expect(instance.call('list_few', {}).result).toEqual({ ok: true, content: [{ x: 0 }, { x: 1 }] })
    instance.close()
  })

  test('skips steps whose argument was not given, requires one of several, and fills its messages', () => {
    const find = sqlTool(
      'find',
      { name: { type: 'string' }, no: { type: 'string' }, touch: { type: 'boolean' } },
      [
        {
          kind: 'require',
          anyOf: ['name', 'no'],
          error: { code: 'nothing_asked', message: 'Give a name or a number.' },
        },
        { kind: 'row', sql: 'SELECT * FROM lockers WHERE holder = @name OR locker_no = @no', as: 'found', error },
        {
          kind: 'run',
          when: 'touch',
          sql: "UPDATE lockers SET holder = 'touched' WHERE locker_no = @found__locker_no",
        },
      ],
      [],
    )
    const instance = environment(lockers, [find]).open({ seed: 0 })
    expect(instance.call('find', {}).result).toMatchObject({
      error: { kind: 'business_rejection', code: 'nothing_asked' },
    })
    expect(instance.call('find', { name: 'ines' }).result).toEqual({
      ok: true,
      content: { locker_no: '12', holder: 'ines' },
    })
    expect(instance.call('find', { name: 'nobody' }).result).toMatchObject({
      error: { code: 'not_found', message: 'No nobody.' },
    })
    expect(instance.call('find', { no: 'x' }).result).toMatchObject({ error: { message: 'No nothing.' } })
    expect(instance.call('find', { no: '7', touch: true })).toMatchObject({
      result: { content: { changes: 1 } },
      diff: [{ table: 'lockers' }],
    })
    instance.close()
  })

  test('needs exactly one row where it asks for a row', () => {
    const pick = sqlTool('pick', {}, [
      { kind: 'row', sql: 'SELECT * FROM lockers', error: { code: 'ambiguous', message: 'More than one.' } },
    ])
    const instance = environment(lockers, [pick]).open({ seed: 0 })
    expect(instance.call('pick', {}).result).toMatchObject({ error: { code: 'ambiguous' } })
    instance.close()
  })

  test('blames the caller for values that a statement cannot take', () => {
    const world = environment(lockers, [
      sqlTool('assign', { no: { type: 'string' } }, [{ kind: 'run', sql: 'UPDATE parcels SET locker_no = @no' }]),
      sqlTool('parse', { text: { type: 'string' } }, [{ kind: 'rows', sql: 'SELECT value FROM json_each(@text)' }]),
    ])
    const instance = world.open({ seed: 0 })
    expect(instance.call('assign', { no: 'nowhere' }).result).toMatchObject({
      error: {
        kind: 'business_rejection',
        code: 'constraint_violation',
        message: expect.stringContaining('FOREIGN KEY'),
      },
    })
    expect(instance.call('parse', { text: 'not json' }).result).toMatchObject({
      error: { kind: 'business_rejection', code: 'statement_failed' },
    })
    instance.close()
  })

  test('takes back every write when a later step is refused, also with OR ROLLBACK', () => {
    const steps: SqlStep[] = [
      { kind: 'run', sql: "INSERT INTO lockers VALUES (@name, 'new')" },
      { kind: 'row', sql: 'SELECT * FROM lockers WHERE holder = @name', error },
    ]
    const abrupt: SqlStep[] = [
      { kind: 'run', sql: "INSERT INTO lockers VALUES (@name, 'new')" },
      { kind: 'run', sql: "INSERT OR ROLLBACK INTO lockers VALUES ('7', 'again')" },
    ]
    for (const tool of [
      sqlTool('put', { name: { type: 'string' } }, steps),
      sqlTool('put', { name: { type: 'string' } }, abrupt),
    ]) {
      const instance = environment(lockers, [tool]).open({ seed: 0 })
      expect(instance.call('put', { name: 'z' }).result).toMatchObject({
        ok: false,
        error: { kind: 'business_rejection' },
      })
      expect(instance.verifyDiff()).toEqual([])
      expect(instance.query('SELECT count(*) AS n FROM lockers')).toEqual([{ n: 3 }])
      instance.close()
    }
  })

  test('checks deferred foreign keys at the end of the call', () => {
    const draft = database(
      'CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)',
    )
    const world = environment(draft, [
      sqlTool('both', { id: { type: 'integer' }, parent: { type: 'integer' } }, [
        { kind: 'run', sql: 'INSERT INTO c VALUES (@id)' },
        { kind: 'run', sql: 'INSERT INTO p VALUES (@parent)' },
      ]),
    ])
    const instance = world.open({ seed: 0 })
    expect(instance.strategy).toBe('clone')
    expect(instance.call('both', { id: 1, parent: 1 }).result.ok).toBe(true)
    expect(instance.call('both', { id: 2, parent: 3 }).result).toMatchObject({
      error: { code: 'constraint_violation' },
    })
    expect(instance.verifyDiff()).toHaveLength(2)
    instance.close()
  })

  test('never takes another rollout’s row id for its own when it inserted nothing', () => {
    const draft = database(
      `CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE); CREATE TABLE k (name TEXT PRIMARY KEY) WITHOUT ROWID;
       CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT);
       CREATE TRIGGER logged AFTER INSERT ON k BEGIN INSERT INTO log (name) VALUES (NEW.name); END;`,
      "INSERT INTO t VALUES (1, 'a');",
    )
    const thenRowid = (name: string, sql: string): Tool =>
      sqlTool(name, {}, [
        { kind: 'run', sql },
        { kind: 'rows', sql: 'SELECT @rowid AS id' },
      ])
    const world = environment(draft, [
      sqlTool('insert', { name: { type: 'string' } }, [{ kind: 'run', sql: 'INSERT INTO t (name) VALUES (@name)' }]),
      thenRowid('ignored', "INSERT OR IGNORE INTO t (name) VALUES ('a')"),
      thenRowid('keyed', "INSERT INTO k VALUES ('a')"),
      thenRowid('upserted', "INSERT INTO t (name) VALUES ('a') ON CONFLICT (name) DO UPDATE SET name = 'a'"),
      thenRowid('selected', "WITH names (name) AS (VALUES ('b')) INSERT INTO t (name) SELECT name FROM names"),
    ])
    const earlier = world.open({ seed: 0 })
    for (const name of ['x', 'y', 'z']) earlier.call('insert', { name })
    earlier.close()
    const instance = world.open({ seed: 0 })
    expect(instance.strategy).toBe('replay')
    const rowidAfter = (name: string) => instance.call(name, {}).result
    for (const name of ['ignored', 'keyed', 'upserted'])
      expect(rowidAfter(name)).toEqual({ ok: true, content: [{ id: null }] })
    expect(rowidAfter('selected')).toEqual({ ok: true, content: [{ id: 2 }] })
    instance.close()
  })

  test('takes an argument called like a member of every object as left out', () => {
    const find = sqlTool(
      'find',
      { constructor: { type: 'string' } },
      [{ kind: 'rows', sql: 'SELECT @constructor AS given' }],
      [],
    )
    const instance = environment(lockers, [find]).open({ seed: 0 })
    expect(instance.call('find', {}).result).toEqual({ ok: true, content: [{ given: null }] })
    expect(instance.call('find', { constructor: 'Lotus' }).result).toEqual({ ok: true, content: [{ given: 'Lotus' }] })
    instance.close()
  })
})
