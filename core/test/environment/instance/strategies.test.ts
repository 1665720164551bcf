import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutableEnvironment } from '../../../src/environment/executable-environment.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import { compareStrategies } from '../../../src/testing/compare-strategies.ts'
import { intricateEnvironment } from '../../../src/testing/intricate-environment.ts'
import { tinyEnvironment } from '../../../src/testing/tiny-environment.ts'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import type { SqlStep, Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, queryTool, sqlTool, workshop } from '../workshop.ts'

/** A long run takes minutes: RLENV_COMPARED_CALLS=100000 npx vitest run --project core strategies */
const calls = Number(process.env.RLENV_COMPARED_CALLS ?? 1_000)
const timeout = 60_000 + calls * 20

const id = { type: 'integer' } as const
const run = (sql: string): SqlStep => ({ kind: 'run', sql })
const write = (name: string, sql: string, properties: JsonObject = {}): Tool => sqlTool(name, properties, [run(sql)])

function bothOf(world: ExecutableEnvironment) {
  return {
    replay: world.open({ seed: 1, strategy: 'replay' }),
    clone: world.open({ seed: 1, strategy: 'clone' }),
  }
}

beforeAll(loadSandbox)

describe('a replayed instance and a clone', () => {
  test('cannot be told apart by random calls on an intricate environment', { timeout }, async () => {
    const queries = ['SELECT count(*) AS n FROM events', 'SELECT random() AS r', 'SELECT max(id) AS last FROM accounts']
    const compared = await compareStrategies({ environment: intricateEnvironment(), calls, queries })
    expect(compared.examples).toEqual([])
    expect(compared.mismatches).toBe(0)
    expect(compared.writes).toBeGreaterThan(calls / 3)
    expect(compared.promotions).toBeGreaterThan(0)
  })

  test('cannot be told apart by queries of a policy among random calls', { timeout }, async () => {
    const intricate = intricateEnvironment()
    const asking = ['ask', 'ask_too', 'ask_as_well'].map((name) => ({ ...queryTool(), name }))
    const tools = [...intricate.tools, ...asking]
    const compared = await compareStrategies({ environment: { ...intricate, tools }, calls, seed: 5 })
    expect(compared).toMatchObject({ mismatches: 0, examples: [] })
    expect(compared.writes).toBeGreaterThan(calls / 4)
  })

  test('cannot be told apart by random calls on an ordinary environment', { timeout }, async () => {
    const compared = await compareStrategies({ environment: tinyEnvironment(), calls, seed: 3 })
    expect(compared).toMatchObject({ mismatches: 0, examples: [] })
    expect(compared.writes).toBeGreaterThan(100)
  })

  test('use up row ids alike when an insert is ignored, also in another instance’s absence', () => {
    const world = environment(
      database(
        'CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)',
        "INSERT INTO t (name) VALUES ('a')",
      ),
      [
        write('add', 'INSERT INTO t (name) VALUES (@name)', { name: { type: 'string' } }),
        write('ignore', "INSERT OR IGNORE INTO t (name) VALUES ('a')"),
        sqlTool('insist', {}, [
          {
            kind: 'run',
            sql: "INSERT OR IGNORE INTO t (name) VALUES ('a')",
            error: { code: 'taken', message: 'Taken.' },
          },
        ]),
      ],
    )
    const { replay, clone } = bothOf(world)
    const other = world.open({ seed: 2, strategy: 'replay' })
    for (const name of ['ignore', 'insist', 'insist']) {
      expect(replay.call(name, {})).toEqual(clone.call(name, {}))
      other.call('add', { name: 'x' })
      other.reset()
    }
    expect(replay.call('add', { name: 'b' })).toEqual(clone.call('add', { name: 'b' }))
    for (const instance of [replay, clone, other]) instance.close()
  })
})

describe('the strategy of an instance', () => {
  const counter = () =>
    environment(database('CREATE TABLE t (id INTEGER PRIMARY KEY, n)', 'INSERT INTO t VALUES (1, 0), (2, 0)'), [
      write('bump', 'UPDATE t SET n = n + 1 WHERE id = @id', { id }),
      write('put', 'INSERT INTO t (id) VALUES (@id)', { id }),
      write('next', 'INSERT INTO t (n) VALUES (5)'),
    ])

  test('is replay until its log is long, then a clone, and replay again after a reset', () => {
    const world = counter()
    const [auto, fixed] = [world.open({ seed: 1 }), world.open({ seed: 1, strategy: 'replay' })]
    const held: string[] = []
    for (let call = 0; call < 120; call++) {
      for (const instance of [auto, fixed]) instance.call('bump', { id: 1 })
      held.push(auto.strategy)
    }
    expect([held.indexOf('clone'), fixed.strategy]).toEqual([100, 'replay'])
    expect(auto.diff()).toEqual(fixed.diff())
    const fork = auto.fork()
    expect(fork.strategy).toBe('clone')
    auto.reset()
    expect([auto.strategy, auto.verifyDiff()]).toEqual(['replay', []])
    expect(fork.call('bump', { id: 1 }).diff).toMatchObject([{ before: { n: 120 }, after: { n: 121 } }])
    for (const instance of [auto, fixed, fork]) instance.close()
  })

  test('is clone once its writes are few but large, in rows or in text', () => {
    const world = environment(
      database('CREATE TABLE t (id INTEGER PRIMARY KEY, n)', 'INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)'),
      [
        write('double', 'INSERT INTO t (n) SELECT n FROM t'),
        write('write', 'INSERT INTO t (n) VALUES (@text)', { text: { type: 'string', maxLength: 300_000 } }),
      ],
    )
    const [doubled, written] = [world.open({ seed: 1 }), world.open({ seed: 1 })]
    const held: string[] = []
    for (let call = 0; call < 12 && doubled.strategy === 'replay'; call++) {
      doubled.call('double', {})
      held.push(doubled.strategy)
    }
    expect(held.at(-1)).toBe('clone')
    expect(held.length).toBeLessThan(9)
    written.call('write', { text: 'x'.repeat(300_000) })
    expect(written.strategy).toBe('replay')
    written.call('write', { text: 'x'.repeat(300_000) })
    expect(written.strategy).toBe('clone')
    for (const instance of [doubled, written]) instance.close()
  })

  test.each([
    ['a deferred foreign key', 'CREATE TABLE c (p REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)', 'SELECT 1'],
    ['a key that rolls back', 'CREATE TABLE c (n UNIQUE ON CONFLICT ROLLBACK)', 'SELECT 1'],
    [
      'a trigger that rolls back',
      "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT RAISE (ROLLBACK, 'no'); END",
      'SELECT 1',
    ],
    ['a statement that rolls back', '', 'INSERT OR ROLLBACK INTO t VALUES (1)'],
    ['a statement that fails halfway', '', 'UPDATE OR FAIL t SET id = 3'],
    ['a row id behind which others are random', 'INSERT INTO t VALUES (9223372036854775807)', 'SELECT 1'],
  ])('is clone from the start with %s', (_what, addition, sql) => {
    const [schema, data] = addition.startsWith('INSERT') ? ['', addition] : [addition, '']
    const step: SqlStep = sql.startsWith('SELECT') ? { kind: 'rows', sql } : run(sql)
    const world = environment(database(`CREATE TABLE t (id INTEGER PRIMARY KEY); ${schema}`, data), [
      sqlTool('use', {}, [step]),
    ])
    for (const strategy of ['auto', 'replay'] as const) expect(world.open({ seed: 0, strategy }).strategy).toBe('clone')
  })

  test('is not clone because of columns and values that are called like such clauses', () => {
    const schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, deferred, fail TEXT DEFAULT 'ROLLBACK', rollback)"
    expect(environment(database(schema)).open({ seed: 0 }).strategy).toBe('replay')
  })

  test('turns to clone when a row takes the last row id, behind which SQLite picks at random', () => {
    const world = environment(database('CREATE TABLE t (id INTEGER PRIMARY KEY, n)'), [
      write('last', 'INSERT INTO t (id) VALUES (9223372036854775807)'),
      write('next', 'INSERT INTO t (n) VALUES (5)'),
    ])
    const instance = world.open({ seed: 1, strategy: 'replay' })
    instance.call('last', {})
    expect(instance.strategy).toBe('clone')
    instance.call('next', {})
    const before = instance.query('SELECT id FROM t')
    const other = world.open({ seed: 2, strategy: 'replay' })
    other.call('next', {})
    expect(instance.query('SELECT id FROM t')).toEqual(before)
    for (const open of [instance, other]) open.close()
  })

  test('survives a script’s OR FAIL by being carried out again on a clone', () => {
    const tool: Tool = {
      ...sqlTool('seat', {}, []),
      effect: 'write',
      implementation: { kind: 'script', file: 'tools/seat.ts' },
    }
    const source = `export default (db: any) => {
      try { db.run("INSERT OR FAIL INTO t VALUES (3, 0), (1, 0), (4, 0)") } catch (error) { return error.code }
    }`
    const world = environment(
      database('CREATE TABLE t (id INTEGER PRIMARY KEY, n)', 'INSERT INTO t VALUES (1, 0)'),
      [tool, write('bump', 'UPDATE t SET n = n + 1 WHERE id = @id', { id })],
      { 'tools/seat.ts': source },
    )
    const instance = world.open({ seed: 1, strategy: 'replay' })
    instance.call('bump', { id: 1 })
    expect(instance.strategy).toBe('replay')
    const { result, diff } = instance.call('seat', {})
    expect(result).toEqual({ ok: true, content: 'constraint_violation' })
    expect(diff).toMatchObject([{ kind: 'insert', key: { id: 3 } }])
    expect(instance.strategy).toBe('clone')
    expect(instance.diff()).toEqual(instance.verifyDiff())
    const other = world.open({ seed: 1 })
    expect([other.call('bump', { id: 3 }).diff, other.verifyDiff()]).toEqual([[], []])
    for (const open of [instance, other]) open.close()
  })
})

describe('a script whose OR ROLLBACK ends the transaction that all replayed instances share', () => {
  const source = `export default (db: any, { after }: { after: boolean }) => {
    db.run('INSERT INTO t VALUES (7, 0)')
    try { db.run('INSERT OR ROLLBACK INTO t VALUES (1, 0)') } catch (error) { if (!after) throw error }
    return after ? db.run('INSERT INTO t VALUES (8, 0)') : null
  }`
  const tool: Tool = {
    ...sqlTool('roll_back', { after: { type: 'boolean' } }, []),
    effect: 'write',
    implementation: { kind: 'script', file: 'tools/roll_back.ts' },
  }
  const world = environment(
    database('CREATE TABLE t (id INTEGER PRIMARY KEY, n)', 'INSERT INTO t VALUES (1, 0)'),
    [tool, write('bump', 'UPDATE t SET n = n + 1 WHERE id = 1')],
    { 'tools/roll_back.ts': source },
  )

  test.each([true, false])('leaves every other one as it was, and its own as on a clone (goes on: %s)', (after) => {
    const [subject, other] = [1, 2].map((seed) => world.open({ seed, strategy: 'replay' }))
    const oracle = world.open({ seed: 1, strategy: 'clone' })
    for (const instance of [subject, other, oracle]) instance?.call('bump', {})
    expect(subject?.call('roll_back', { after })).toEqual(oracle.call('roll_back', { after }))
    expect(subject?.verifyDiff()).toEqual(oracle.verifyDiff())
    expect(subject?.diff()).toEqual(subject?.verifyDiff())
    expect(other?.strategy).toBe('replay')
    expect(other?.call('bump', {}).diff).toMatchObject([{ before: { n: 1 }, after: { n: 2 } }])
    expect(other?.verifyDiff()).toHaveLength(1)
    expect(world.open({ seed: 3 }).verifyDiff()).toEqual([])
    for (const instance of [subject, other, oracle]) instance?.close()
  })
})

describe('fork', () => {
  test('goes its own way from any turn, and its reset leads back to that turn', () => {
    for (const strategy of ['replay', 'clone'] as const) {
      const instance = workshop().open({ seed: 1, strategy })
      const forks = ['Ana', 'Bo', 'Cy'].map((name) => {
        instance.call('add_customer', { name, email: null })
        return instance.fork()
      })
      expect(forks.map((fork) => fork.diff().length)).toEqual([1, 2, 3])
      const [first, second] = forks
      first?.call('clear_log', {})
      expect(first?.diff()).toEqual(first?.verifyDiff())
      first?.reset()
      expect([first?.diff().length, first?.verifyDiff().length]).toEqual([1, 1])
      const branch = second?.fork()
      const added = branch?.call('add_customer', { name: 'Di', email: null })
      expect(added?.result).toEqual({ ok: true, content: { id: 6, name: 'Di', email: null } })
      expect(second?.call('add_customer', { name: 'Di', email: null })).toEqual(added)
      branch?.close()
      instance.close()
      expect(forks[2]?.query('SELECT count(*) AS n FROM customers')).toEqual([{ n: 6 }])
      for (const fork of forks) fork.close()
      expect(() => instance.query('SELECT 1 AS one')).toThrow(/failed|closed/)
    }
  })

  test('goes on with the same random numbers, which other instances do not shift', () => {
    const world = environment(database('CREATE TABLE rolls (id INTEGER PRIMARY KEY, value DEFAULT (random()))'), [
      write('roll', 'INSERT INTO rolls DEFAULT VALUES'),
      write('reroll', 'UPDATE rolls SET value = random()'),
      sqlTool('look', {}, [{ kind: 'rows', sql: 'SELECT *, random() AS now FROM rolls ORDER BY random()' }]),
    ])
    const names = ['roll', 'look', 'roll', 'reroll', 'look', 'roll', 'look']
    const alone = world.open({ seed: 4, strategy: 'clone' })
    const wanted = names.map((name) => alone.call(name, {}))
    const [instance, other] = [4, 5].map((seed) => world.open({ seed, strategy: 'replay' }))
    const seen = names.map((name) => {
      other?.call('roll', {})
      other?.call('look', {})
      return instance?.call(name, {})
    })
    expect(seen).toEqual(wanted)
    const fork = instance?.fork()
    other?.call('reroll', {})
    expect(fork?.call('look', {})).toEqual(instance?.call('look', {}))
    expect(fork?.call('reroll', {})).toEqual(instance?.call('reroll', {}))
    for (const open of [alone, instance, other, fork]) open?.close()
  })
})
