import { beforeAll, describe, expect, test } from 'vitest'
import type { EnvironmentInstance } from '../../../src/environment/environment-instance.ts'
import type { ExecutableEnvironment } from '../../../src/environment/executable-environment.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import { SeededRandom } from '../../../src/environment/sqlite/open-connection.ts'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import type { SqlStep, Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, queryTool, sqlTool } from '../workshop.ts'

beforeAll(loadSandbox)

const run = (sql: string): SqlStep => ({ kind: 'run', sql })
const rows = (sql: string): SqlStep => ({ kind: 'rows', sql })
const script = (name: string): Tool => ({
  ...sqlTool(name, {}, []),
  effect: 'write',
  implementation: { kind: 'script', file: `scripts/${name}.ts` },
})

/** The plain instance that every other is held equal to, and one of each strategy. */
function allOf(world: ExecutableEnvironment): [EnvironmentInstance, EnvironmentInstance[]] {
  const plain = world.open({ seed: 3, strategy: 'clone', sharesReads: false })
  return [plain, (['clone', 'replay', 'auto'] as const).map((strategy) => world.open({ seed: 3, strategy }))]
}

type Call = readonly [string, JsonObject]

/** Makes the same calls on all, and holds results, diffs and scans equal after each. */
function expectEqual(world: ExecutableEnvironment, calls: readonly Call[]): EnvironmentInstance[] {
  const [plain, others] = allOf(world)
  for (const [name, args] of calls) {
    const expected = plain.call(name, args)
    expect(plain.diff()).toEqual(plain.verifyDiff())
    for (const other of others) {
      expect([name, other.call(name, args)]).toEqual([name, expected])
      expect(other.diff()).toEqual(plain.diff())
      expect(other.verifyDiff()).toEqual(plain.diff())
    }
  }
  return others
}

const copies = [
  [
    'a key of the wrong type',
    'CREATE TABLE t (id INTEGER PRIMARY KEY, v)',
    'INSERT OR REPLACE INTO t SELECT k, v FROM s',
  ],
  [
    'a value of the wrong type in a STRICT table',
    'CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER) STRICT',
    'INSERT INTO t (v) SELECT k FROM s',
  ],
] as const

describe.each(copies)('a write of several rows that fails at %s', (_, table, copy) => {
  const world = environment(
    database(`${table}; CREATE TABLE s (k, v)`, "INSERT INTO t VALUES (1, 1); INSERT INTO s VALUES (7, 8), ('abc', 9)"),
    [
      sqlTool('copy', {}, [run(copy)]),
      sqlTool('copy_later', {}, [run('UPDATE t SET v = v + 1'), run(copy)]),
      sqlTool('bump', {}, [run('UPDATE t SET v = v + 1')]),
      sqlTool('list', {}, [rows('SELECT * FROM t')]),
      script('carry_on'),
      script('give_up'),
    ],
    {
      'scripts/carry_on.ts': `export default (db) => { try { db.run('${copy}') } catch (error) { return error.code } }`,
      'scripts/give_up.ts': `export default (db) => { db.run('${copy}') }`,
    },
  )

  test.each(['copy', 'copy_later', 'give_up'])('leaves no trace of the failed call: %s', (name) => {
    const calls = ['bump', name, 'list', 'bump', name, 'list']
    const others = expectEqual(
      world,
      calls.map((call) => [call, {}]),
    )
    for (const other of others) {
      expect(other.call(name, {}).result.ok).toBe(false)
      expect(other.diff()).toMatchObject([{ kind: 'update', key: { id: 1 }, after: { v: 3 } }])
    }
  })

  test('keeps what it had written when a script goes on, whatever the strategy', () => {
    const others = expectEqual(world, [
      ['bump', {}],
      ['carry_on', {}],
      ['list', {}],
      ['bump', {}],
    ])
    for (const other of others) expect(other.diff()).toHaveLength(2)
  })
})

const guarded = () =>
  environment(
    database(
      'CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER UNIQUE); CREATE TABLE u (n INTEGER)',
      'INSERT INTO t VALUES (1, 1); INSERT INTO u VALUES (1)',
    ),
    [
      script('stop_halfway'),
      sqlTool('bump', {}, [run('UPDATE u SET n = n + 1')]),
      sqlTool('draw', {}, [rows('SELECT n, random() AS r FROM u')]),
    ],
    {
      'scripts/stop_halfway.ts': `export default (db) => {
        const before = db.get('SELECT random() AS r')
        try { db.run('INSERT OR FAIL INTO t (v) VALUES (5), (1)') } catch (error) { return [before, error.code] }
      }`,
    },
  )

describe('a call that stops halfway', () => {
  test('does not make a reading call of another instance one that cannot be repeated', () => {
    const world = guarded()
    const [plain, others] = allOf(world)
    const [, reader, automatic] = others
    for (const instance of [plain, reader, automatic]) instance?.call('bump', {})
    for (const instance of [reader, automatic]) {
      world.open({ seed: 8, strategy: 'replay' }).call('stop_halfway', {})
      expect(instance?.call('draw', {})).toEqual(plain.call('draw', {}))
      expect(instance?.strategy).toBe('replay')
      plain.reset()
      plain.call('bump', {})
    }
  })

  test('draws the same random numbers when it is carried out again', () => {
    const others = expectEqual(guarded(), [
      ['draw', {}],
      ['stop_halfway', {}],
      ['draw', {}],
    ])
    expect(others.map(({ strategy }) => strategy)).toEqual(['clone', 'clone', 'clone'])
  })
})

describe('random numbers of a connection', () => {
  test.each([0, 1, 3])('go on from where %i had been drawn', (drawn) => {
    const random = new SeededRandom(7)
    const numbers = Array.from({ length: 4 }, () => random.next())
    const copy = random.copy()
    for (const one of [random, copy]) {
      one.rewind(drawn)
      expect(one.drawn).toBe(drawn)
      expect(one.next()).toBe(numbers[drawn])
    }
  })
})

describe('a query of a policy', () => {
  const many = Array.from({ length: 1_500 }, (_, index) => `(${index + 1}, ${index % 7})`).join(', ')
  const grouped = 'SELECT v, count(*) AS n FROM t GROUP BY id'
  const joined = `WITH a AS (${grouped}), b AS (${grouped}) SELECT count(*) AS pairs FROM a, b`
  const world = environment(database('CREATE TABLE t (id INTEGER PRIMARY KEY, v)', `INSERT INTO t VALUES ${many}`), [
    sqlTool('clear', {}, [run('DELETE FROM t WHERE id > 20')]),
    queryTool(),
  ])

  test('that the image refuses is admitted in a state of its own that allows it', () => {
    const others = expectEqual(world, [
      ['query', { sql: joined }],
      ['clear', {}],
      ['query', { sql: joined }],
    ])
    for (const other of others)
      expect(other.call('query', { sql: joined }).result).toEqual({ ok: true, content: [{ pairs: 400 }] })
  })
})

describe('names beyond ASCII', () => {
  test('are as different as SQLite takes them to be when a row is looked up', () => {
    const world = environment(
      database(
        'CREATE TABLE "É" (id INTEGER PRIMARY KEY, v); CREATE TABLE "é" (id INTEGER PRIMARY KEY, v); CREATE TABLE t ("É" INTEGER PRIMARY KEY, "é")',
        'INSERT INTO "É" VALUES (1, \'large\'); INSERT INTO "é" VALUES (1, \'small\'); INSERT INTO t VALUES (1, 2), (2, 1)',
      ),
      [
        sqlTool('small', {}, [rows('SELECT V FROM "é" WHERE Id = 1')]),
        sqlTool('small_by_id', { id: { type: 'integer' } }, [rows('SELECT * FROM "é" WHERE ID = @id')]),
        sqlTool('column', { id: { type: 'integer' } }, [rows('SELECT * FROM t WHERE é = @id')]),
      ],
    )
    const instance = world.open({ seed: 1 })
    expect(instance.call('small', {}).result).toMatchObject({ content: [{ v: 'small' }] })
    expect(instance.call('small_by_id', { id: 1 }).result).toMatchObject({ content: [{ id: 1, v: 'small' }] })
    expect(instance.call('column', { id: 1 }).result).toMatchObject({ content: [{ É: 2, é: 1 }] })
  })
})
