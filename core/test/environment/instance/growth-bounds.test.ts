import { beforeAll, describe, expect, test } from 'vitest'
import type { EnvironmentInstance, InstanceStrategy } from '../../../src/environment/environment-instance.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import type { SqlStep, Tool, ToolResult } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const strategies: readonly InstanceStrategy[] = ['replay', 'clone', 'auto']

const run = (sql: string): SqlStep => ({ kind: 'run', sql })
const write = (name: string, sql: string, properties: JsonObject = {}): Tool => sqlTool(name, properties, [run(sql)])
const read = (name: string, sql: string): Tool => sqlTool(name, {}, [{ kind: 'rows', sql }])
const script = (name: string): Tool => ({
  ...sqlTool(name, {}, []),
  effect: 'write',
  implementation: { kind: 'script', file: `tools/${name}.ts` },
})

const numbers = (table: string, count: number): string =>
  `INSERT INTO ${table} VALUES ${Array.from({ length: count }, (_, at) => `(${at + 1}, ${at})`).join(', ')};`

const schema = `CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER);
CREATE INDEX t_k ON t (k);
CREATE TABLE seeds (id INTEGER PRIMARY KEY, k INTEGER);
CREATE TABLE spawn (id INTEGER PRIMARY KEY, k INTEGER);
CREATE TABLE kinds (id INTEGER PRIMARY KEY, k INTEGER);
CREATE TABLE wide (id INTEGER PRIMARY KEY, k INTEGER);
CREATE TRIGGER sown AFTER INSERT ON seeds BEGIN INSERT INTO spawn (k) SELECT k FROM spawn; END;`
const data = ['t', 'spawn', 'kinds'].map((table) => numbers(table, 4)).join('\n') + numbers('wide', 900)

const everyPair = 'SELECT count(*) AS n FROM t AS a, t AS b, t AS c, t AS d WHERE a.k + b.k + c.k < d.k'
const alike = `SELECT count(*) AS n FROM t AS a ${[1, 2, 3, 4, 5].map((at) => `JOIN t AS b${at} ON b${at}.k = a.k`).join(' ')}`
const spawned = 'SELECT count(*) AS n FROM spawn AS a, spawn AS b, spawn AS c, spawn AS d WHERE a.k + b.k + c.k < d.k'

const world = environment(
  database(schema, data),
  [
    write('double', 'INSERT INTO t (k) SELECT k + 100 FROM t'),
    write('add', 'INSERT INTO t (k) VALUES (@k)', { k: { type: 'integer' } }),
    write('sow', 'INSERT INTO seeds (k) VALUES (1)'),
    write('level', 'UPDATE t SET k = 7'),
    write('shrink', 'DELETE FROM t WHERE id > 4'),
    read('every_pair', everyPair),
    read('alike', alike),
    read('spawned', spawned),
    read('count', 'SELECT count(*) AS n FROM t'),
    read('by_key', 'SELECT count(*) AS n FROM t AS a JOIN t AS b ON b.id = a.id JOIN kinds AS c ON c.id = b.id % 4'),
    read('kinds', 'SELECT count(*) AS n FROM kinds AS a, kinds AS b, kinds AS c, kinds AS d, kinds AS e'),
    read('wide', 'SELECT count(*) AS n FROM wide AS a, wide AS b WHERE a.k < b.k'),
    write('widen', 'INSERT INTO wide (k) VALUES (1)'),
    script('grow_and_look'),
    script('sow_and_look'),
    script('look_and_say'),
  ],
  {
    'tools/grow_and_look.ts': `export default (db) => {
      for (let i = 0; i < 10; i++) db.run('INSERT INTO t (k) SELECT k + 100 FROM t')
      return db.get('${everyPair}')
    }`,
    'tools/sow_and_look.ts': `export default (db) => {
      for (let i = 0; i < 10; i++) db.run('INSERT INTO seeds (k) VALUES (1)')
      return db.get('${spawned}')
    }`,
    'tools/look_and_say.ts': `export default (db) => { try { return db.get('${everyPair}') } catch (error) { return error.code } }`,
  },
)

const times = (count: number, instance: EnvironmentInstance, name: string): ToolResult[] =>
  Array.from({ length: count }, () => instance.call(name, {}).result)

const tooLarge = (tool: string, sql: RegExp) => ({
  ok: false,
  error: {
    kind: 'business_rejection',
    code: 'state_too_large',
    message: expect.stringMatching(new RegExp(`^${tool}: "${sql.source}.* rows that earlier calls have left: `)),
  },
})

beforeAll(loadSandbox)

describe.each(strategies)('what was admitted for a few rows (%s)', (strategy) => {
  const opened = (use: (instance: EnvironmentInstance) => void) => {
    const instance = world.open({ seed: 1, strategy })
    const start = performance.now()
    use(instance)
    // Unbounded, each of these takes minutes or for ever.
    expect(performance.now() - start).toBeLessThan(15_000)
    instance.close()
  }

  test('is refused in words once calls have made many of them, and allowed again without', () => {
    opened((instance) => {
      expect(instance.call('every_pair', {}).result).toMatchObject({ ok: true })
      times(7, instance, 'double')
      expect(instance.call('every_pair', {}).result).toMatchObject(tooLarge('every_pair', /SELECT count/))
      expect(instance.call('look_and_say', {}).result).toMatchObject({ content: 'state_too_large' })
      expect(instance.call('count', {}).result).toEqual({ ok: true, content: [{ n: 512 }] })
      expect(() => instance.query(everyPair)).toThrow(/too much for the rows that earlier calls have left/)
      const fork = instance.fork()
      expect(fork.call('every_pair', {}).result.ok).toBe(false)
      fork.close()
      instance.call('shrink', {})
      expect(instance.call('every_pair', {}).result.ok).toBe(true)
      instance.reset()
      expect(instance.call('every_pair', {}).result.ok).toBe(true)
    })
  })

  test('is refused where calls have made values alike', () => {
    opened((instance) => {
      times(6, instance, 'double')
      instance.call('level', {})
      expect(instance.call('alike', {}).result).toMatchObject(tooLarge('alike', /SELECT count/))
    })
  })

  test('is refused within the call that made many of them, and so are rows that triggers have made', () => {
    opened((instance) => {
      expect(instance.call('grow_and_look', {}).result).toMatchObject({ error: { code: 'state_too_large' } })
      expect(instance.diff()).toEqual([])
      expect(instance.call('sow_and_look', {}).result).toMatchObject({ error: { code: 'state_too_large' } })
      times(8, instance, 'sow')
      expect(instance.call('spawned', {}).result).toMatchObject(tooLarge('spawned', /SELECT count/))
      expect(instance.diff()).toEqual(instance.verifyDiff())
    })
  })

  test('can not fill the memory: rows double until there are some ten thousand', () => {
    opened((instance) => {
      const results = times(30, instance, 'double')
      expect(results.at(-1)).toMatchObject(tooLarge('double', /INSERT INTO t/))
      expect(results.findIndex(({ ok }) => !ok)).toBeGreaterThan(12)
      expect(instance.diff().length).toBeLessThan(150_000)
    })
  })

  test('goes on where it asks by keys, of tables that have not grown, or close to its bound', () => {
    opened((instance) => {
      for (let k = 0; k < 300; k++) instance.call('add', { k })
      for (const name of ['by_key', 'kinds', 'count'])
        expect(instance.call(name, {}).result).toMatchObject({ ok: true })
      times(20, instance, 'widen')
      expect(instance.call('wide', {}).result).toMatchObject({ ok: true })
    })
  })
})
