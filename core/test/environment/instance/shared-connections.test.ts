import { describe, expect, test } from 'vitest'
import { ExecutableWorld } from '../../../src/environment/executable-world.ts'
import { ConnectionShelf, KeptConnection } from '../../../src/environment/instance/kept-connection.ts'
import { EnvironmentCache, loadEnvironment } from '../../../src/environment/load-environment.ts'
import { Connection } from '../../../src/environment/sqlite/connection.ts'
import { SeededRandom } from '../../../src/environment/sqlite/open-connection.ts'
import { tinyEnvironment } from '../../../src/testing/tiny-environment.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const counter = (start: number) =>
  environment(database('CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)', `INSERT INTO t VALUES (1, ${start})`), [
    sqlTool('bump', {}, [
      { kind: 'run', sql: 'UPDATE t SET n = n + 1' },
      { kind: 'row', sql: 'SELECT n FROM t', error: { code: 'lost', message: 'Lost.' } },
    ]),
  ])

describe('connections that instances share', () => {
  test('are bounded by number and bytes, the ones that were used last stay open', () => {
    const { image } = counter(0)
    const open = () => new Connection(image.bytes, image.clock, new SeededRandom(0))
    const shelf = new ConnectionShelf(3, 2 ** 30)
    const kept = Array.from({ length: 4 }, () => new KeptConnection(open, image.bytes.length, shelf))
    const [first, second, third, fourth] = kept.slice(0, 3).map((one) => one.get())
    expect(kept[0]?.get()).toBe(first)
    kept[3]?.get()
    expect([shelf.size, first?.database.open, second?.database.open, third?.database.open]).toEqual([
      3,
      true,
      false,
      true,
    ])
    expect(kept[1]?.get().database.open).toBe(true)
    expect([shelf.size, fourth, third?.database.open]).toEqual([3, undefined, false])
    const heavy = new ConnectionShelf(100, 1)
    const few = Array.from({ length: 5 }, () => new KeptConnection(open, 10, heavy))
    for (const one of few) one.get()
    expect(heavy.size).toBe(2)
    for (const one of [shelf, heavy]) one.close()
    expect([shelf.size, heavy.size, first?.database.open]).toEqual([0, 0, false])
  })

  test('may be closed under an environment whose instances, readers and queries go on', () => {
    const world = counter(0)
    const instance = world.open({ seed: 0 })
    instance.call('bump', {})
    const { initial, final } = instance.capture()
    world.close()
    expect(final.query('SELECT n + 0 AS n FROM t')).toEqual([{ n: 1 }])
    world.close()
    expect(initial.query('SELECT n - 1 AS n FROM t')).toEqual([{ n: -1 }])
    expect(instance.call('bump', {}).result).toEqual({ ok: true, content: { n: 2 } })
    expect(instance.fork().diff()).toEqual(instance.verifyDiff())
    instance.close()
    world.close()
  })

  test('are freed by the world that used them, which goes on when it is asked again', async () => {
    const world = new ExecutableWorld()
    const [tiny, other] = [tinyEnvironment(), tinyEnvironment({ id: 'other', seed: 5 })]
    await world.prepare(tiny)
    const instance = await world.open({ environment: tiny, seed: 1 })
    const { signal } = new AbortController()
    const call = (tier: string) => instance.call('set_member_tier', { member_id: 1, tier }, signal)
    expect((await call('plus')).diff).toMatchObject([{ table: 'members', after: { tier: 'plus' } }])
    world.close()
    expect((await call('plus')).result).toMatchObject({ error: { code: 'tier_unchanged' } })
    expect((await call('standard')).diff).toHaveLength(1)
    const second = await world.open({ environment: other, seed: 1 })
    expect((await second.call('get_book', { book_id: 1 }, signal)).result.ok).toBe(true)
    world.close()
    expect((await instance.capture())?.diff).toEqual([])
    for (const open of [instance, second]) await open.close()
  })
})

describe('loadEnvironment', () => {
  test('loads equal content once, whatever object it comes in', () => {
    const tiny = tinyEnvironment()
    const loaded = loadEnvironment(tiny)
    expect(loadEnvironment(tiny)).toBe(loaded)
    expect(loadEnvironment({ ...tinyEnvironment(), id: 'renamed' })).toBe(loaded)
    expect(loadEnvironment(tinyEnvironment({ seed: 9 }))).not.toBe(loaded)
  })

  test('lets the longest unused go, whose instances go on, and loads them again when asked', () => {
    const cache = new EnvironmentCache(2, 2 ** 30)
    const load = (seed: number) => cache.load(tinyEnvironment({ seed }), `seed ${seed}`)
    const [zero, one] = [load(0), load(1)]
    const instance = one.open({ seed: 0 })
    const members = instance.query('SELECT * FROM members')
    expect(load(0)).toBe(zero)
    load(2)
    expect(load(0)).toBe(zero)
    expect(load(1)).not.toBe(one)
    expect(instance.query('SELECT * FROM members')).toEqual(members)
    expect(one.open({ seed: 0 }).query('SELECT * FROM members')).toEqual(members)
    instance.close()
    const small = new EnvironmentCache(100, 1)
    const held = small.load(tinyEnvironment(), 'a')
    expect(small.load(tinyEnvironment(), 'a')).toBe(held)
    small.load(tinyEnvironment({ seed: 1 }), 'b')
    expect(small.load(tinyEnvironment(), 'a')).not.toBe(held)
  })
})
