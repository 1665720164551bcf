import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runGold } from '../../src/environment/run-gold.ts'
import type { Json, JsonObject } from '../../src/vocabulary/json.ts'
import { database, environment, sqlTool, workshop, workshopTools } from './workshop.ts'

const shared = workshop()

/** Arguments from small sets, so that calls meet each other's rows, and now and then fail. */
const smallInteger = fc.integer({ min: 0, max: 6 })
const value = fc.constantFrom<Json>(null, 0, 1, 1.5, 'red', 'blue', 'bolt', '7', true)
const text = fc.constantFrom('red', 'blue', 'Ana', 'note', 'c')

function argumentsOf(schema: JsonObject): fc.Arbitrary<JsonObject> {
  const properties = Object.entries(schema.properties as JsonObject).map(([name, property]) => {
    const type = (property as JsonObject).type
    if (type === 'integer') return [name, smallInteger] as const
    if (type === 'string') return [name, name === 'word' ? fc.constantFrom('red', 'blue', 'note') : text] as const
    return [name, type === undefined ? value : fc.option(text)] as const
  })
  return fc.record(Object.fromEntries(properties)) as fc.Arbitrary<JsonObject>
}

const call = fc.oneof(
  ...workshopTools.map((tool) => argumentsOf(tool.inputSchema).map((args) => ({ name: tool.name, args }))),
)

describe('EnvironmentInstance', () => {
  test('finds by the written tables what a scan of everything finds, after every call', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
        const instance = shared.open({ seed: 1 })
        for (const { name, args } of calls) {
          const before = instance.verifyDiff()
          const { diff } = instance.call(name, args)
          expect(instance.diff()).toEqual(instance.verifyDiff())
          if (diff.length === 0) expect(instance.verifyDiff()).toEqual(before)
        }
        instance.close()
      }),
      { numRuns: 120 },
    )
  })

  test('behaves the same on a used connection as on a clone, fork and image included', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
        const pooled = shared.open({ seed: 1, strategy: 'replay' })
        const clone = shared.open({ seed: 1, strategy: 'clone' })
        for (const { name, args } of calls) expect(pooled.call(name, args)).toEqual(clone.call(name, args))
        expect(pooled.diff()).toEqual(clone.diff())
        expect(contentsOf(pooled.image())).toEqual(contentsOf(clone.image()))
        const forks = [pooled.fork(), clone.fork()] as const
        const [a, b] = forks.map((fork) => fork.call('list_customers', {}))
        expect(a).toEqual(b)
        for (const instance of [pooled, clone, ...forks]) instance.close()
      }),
      { numRuns: 80 },
    )
  })

  test('adds the diffs of its calls up to the diff of the rollout', () => {
    const instance = shared.open({ seed: 1 })
    const first = instance.call('add_customer', { name: 'Dee', email: null })
    expect(first).toEqual({
      result: { ok: true, content: { id: 4, name: 'Dee', email: null } },
      diff: [{ kind: 'insert', table: 'customers', key: { id: 4 }, after: { id: 4, name: 'Dee', email: null } }],
    })
    const second = instance.call('rename_customer', { id: 4, name: 'Dora' })
    expect(second.diff).toEqual([
      {
        kind: 'update',
        table: 'customers',
        key: { id: 4 },
        before: { id: 4, name: 'Dee', email: null },
        after: { id: 4, name: 'Dora', email: null },
      },
    ])
    expect(instance.diff()).toEqual([
      { kind: 'insert', table: 'customers', key: { id: 4 }, after: { id: 4, name: 'Dora', email: null } },
    ])
    instance.close()
  })

  test('reports cascades and triggers with the write that caused them', () => {
    const instance = shared.open({ seed: 1 })
    const { diff } = instance.call('drop_customer', { id: 2 })
    expect(diff.map(({ kind, table, key }) => [kind, table, key])).toEqual([
      ['delete', 'customers', { id: 2 }],
      ['insert', 'log', { rowid: 6 }],
      ['delete', 'orders', { id: 3 }],
    ])
    instance.close()
  })

  test('leaves no trace of a call that fails halfway', () => {
    for (const strategy of ['replay', 'clone'] as const) {
      const instance = shared.open({ seed: 1, strategy })
      instance.call('set_item', { order_id: 4, line: 2, what: 'taken' })
      const before = instance.diff()
      const { result, diff } = instance.call('place_order', { customer_id: 1, cents: 5, what: 'bolt' })
      expect(result).toMatchObject({ ok: false, error: { kind: 'business_rejection', code: 'constraint_violation' } })
      expect(diff).toEqual([])
      expect(instance.verifyDiff()).toEqual(before)
      instance.close()
    }
  })

  test('gives equal observations for equal seeds, and random numbers that follow the seed', () => {
    const dice = environment(
      database(
        'CREATE TABLE rolls (id INTEGER PRIMARY KEY, value DEFAULT (random()), at TEXT DEFAULT CURRENT_TIMESTAMP)',
      ),
      [
        sqlTool('roll', {}, [
          { kind: 'run', sql: 'INSERT INTO rolls DEFAULT VALUES' },
          {
            kind: 'row',
            sql: "SELECT *, date('now') AS today FROM rolls WHERE id = @rowid",
            error: { code: 'lost', message: 'Lost.' },
          },
        ]),
      ],
    )
    const play = (seed: number) => {
      const instance = dice.open({ seed })
      expect(instance.strategy).toBe('replay')
      const seen = [instance.call('roll', {}), instance.call('roll', {})]
      const fork = instance.fork()
      expect(fork.call('roll', {})).toEqual(instance.call('roll', {}))
      fork.close()
      instance.close()
      return seen
    }
    expect(play(5)).toEqual(play(5))
    expect(play(5)).not.toEqual(play(6))
    expect(play(5)[0]?.result).toMatchObject({ content: { at: '2026-03-01 09:00:00', today: '2026-03-01' } })
  })

  test('never shares rows with another instance of the same environment', () => {
    const [one, two] = [shared.open({ seed: 1 }), shared.open({ seed: 1 })]
    for (const instance of [one, two]) {
      expect(instance.call('add_customer', { name: 'Eve', email: 'eve@example.com' }).result.ok).toBe(true)
    }
    one.close()
    const three = shared.open({ seed: 1 })
    expect(three.diff()).toEqual([])
    expect(three.query('SELECT count(*) AS n FROM customers')).toEqual([{ n: 3 }])
    expect(three.call('add_customer', { name: 'Eve', email: 'eve@example.com' }).result).toMatchObject({
      content: { id: 4 },
    })
    two.close()
    three.close()
  })

  test('goes back to where it started on reset, and a fork goes its own way', () => {
    const instance = shared.open({ seed: 1 })
    instance.call('clear_log', {})
    const fork = instance.fork()
    instance.reset()
    expect(instance.verifyDiff()).toEqual([])
    expect(fork.diff()).toHaveLength(5)
    fork.call('write_log', { message: 'only here' })
    expect(instance.query('SELECT count(*) AS n FROM log')).toEqual([{ n: 5 }])
    expect(fork.query('SELECT count(*) AS n FROM log')).toEqual([{ n: 1 }])
    expect(fork.diff()).toEqual(fork.verifyDiff())
    for (const open of [instance, fork]) open.close()
  })

  test('opens no database for calls that reach no tool, and answers every misuse as an error result', () => {
    const instance = shared.open({ seed: 1 })
    for (const name of ['verify', 'reset', 'done', 'state', 'close', '__proto__', 'constructor']) {
      expect(instance.call(name, {}).result).toMatchObject({ ok: false, error: { kind: 'unknown_tool' } })
    }
    expect(instance.call('drop_customer', { id: 99 }).result).toEqual({
      ok: false,
      error: { kind: 'business_rejection', code: 'customer_not_found', message: 'There is no customer 99.' },
    })
    expect(instance.call('list_customers', {}, AbortSignal.abort()).result).toMatchObject({
      error: { kind: 'timeout' },
    })
    instance.close()
    expect(instance.call('list_customers', {}).result).toMatchObject({ error: { kind: 'environment_fault' } })
  })

  test('reads tables in primary-key order, before and after, and refuses to write through a query', () => {
    const instance = shared.open({ seed: 1 })
    instance.call('put_customer', { id: 0, name: 'Zero' })
    const { initial, final } = instance.capture()
    expect(initial.rows('customers').map((row) => row.id)).toEqual([1, 2, 3])
    expect(final.rows('customers').map((row) => row.id)).toEqual([0, 1, 2, 3])
    expect(final.rows('tags')).toBe(initial.rows('tags'))
    expect(initial.tables).toEqual(['customers', 'log', 'notes', 'order_items', 'orders', 'settings', 'tags'])
    expect(final.query('SELECT name FROM customers WHERE id = @id', { id: 0 })).toEqual([{ name: 'Zero' }])
    const refused = expect.objectContaining({ code: 'RLENV_DATABASE_INVALID' })
    expect(() => final.query('DELETE FROM customers')).toThrow(refused)
    expect(() => final.query('DELETE FROM customers RETURNING id')).toThrow(refused)
    expect(() => final.query('SELECT name FROM customers WHERE id = @id')).toThrow(/no value for @id/)
    expect(() => final.rows('nowhere')).toThrow(refused)
    instance.close()
  })

  test('tells integers, reals, texts and blobs apart and keeps 64-bit integers exact', () => {
    const instance = shared.open({ seed: 1 })
    expect(
      instance
        .capture()
        .initial.rows('tags')
        .find((row) => row.word === null),
    ).toEqual({
      word: null,
      weight: { $int64: '9007199254740993' },
    })
    expect(instance.capture().initial.rows('order_items').at(-1)).toEqual({
      order_id: 3,
      line: 1,
      what: { $blob: 'AP8=' },
    })
    expect(instance.call('weigh', { word: 'blue', weight: 1 }).diff).toHaveLength(1)
    expect(instance.call('weigh', { word: 'blue', weight: 1 }).diff).toHaveLength(0)
    instance.close()
  })

  test('runs a gold solution to its end and says whether every call succeeded', () => {
    const calls = [
      { tool: 'drop_customer', arguments: { id: 99 } },
      { tool: 'write_log', arguments: { message: 'done' } },
    ]
    const gold = runGold(shared, calls, 'done')
    expect(gold.succeeded).toBe(false)
    expect(gold.calls.map(({ result }) => result.ok)).toEqual([false, true])
    expect(gold.diff).toHaveLength(1)
    expect(runGold(shared, calls.slice(1), null).succeeded).toBe(true)
  })
})

/** Every row of every table, storage classes included. */
function contentsOf(image: Buffer): unknown {
  const db = new Database(image)
  db.defaultSafeIntegers()
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[]
  const contents = tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).raw().all()])
  db.close()
  return contents
}
