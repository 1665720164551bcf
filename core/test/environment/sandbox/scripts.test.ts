import { beforeAll, describe, expect, test } from 'vitest'
import { ExecutableWorld } from '../../../src/environment/executable-world.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import { runVerifierScript } from '../../../src/environment/sandbox/run-verifier-script.ts'
import { tinyEnvironment } from '../../../src/testing/tiny-environment.ts'
import type { Json, JsonObject } from '../../../src/vocabulary/json.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { clock, database, environment, sqlTool, workshop, workshopData, workshopSchema } from '../workshop.ts'

const draft = database(workshopSchema, workshopData)

function scriptTool(name: string, effect: 'read' | 'write' = 'write', properties: JsonObject = { x: {} }): Tool {
  return { ...sqlTool(name, properties, [], []), effect, implementation: { kind: 'script', file: `tools/${name}.ts` } }
}

/** Calls one script tool, `run`, on a fresh instance. */
function scripted(body: string, effect: 'read' | 'write' = 'write', deadlineMs = 10_000) {
  const source = `interface Db { all(sql: string, p?: object): any[]; get(sql: string, p?: object): any; run(sql: string, p?: object): { changes: number } }
export default ${body}`
  const instance = environment(draft, [scriptTool('run', effect)], { 'tools/run.ts': source }).open({
    seed: 3,
    scriptLimits: { deadlineMs },
  })
  return { instance, call: (x: Json = 1) => instance.call('run', { x }) }
}

beforeAll(loadSandbox)

describe('a script tool', () => {
  test('reads and writes through parameters and returns JSON', () => {
    const { instance, call } = scripted(`function (db: Db, args: { x: number }) {
      const { changes } = db.run('INSERT INTO log VALUES (@message, @extra)', { message: 'n' + args.x, extra: args.x })
      return { changes, row: db.get('SELECT extra, typeof(extra) AS kind FROM log WHERE message = @m', { m: 'n7' }), all: db.all('SELECT word FROM tags WHERE weight = 1') }
    }`)
    expect(call(7)).toEqual({
      result: {
        ok: true,
        content: { changes: 1, row: { extra: 7, kind: 'integer' }, all: [{ word: 'red' }, { word: 'blue' }] },
      },
      diff: [{ kind: 'insert', table: 'log', key: { rowid: 6 }, after: { message: 'n7', extra: 7 } }],
    })
    expect(instance.diff()).toEqual(instance.verifyDiff())
    instance.close()
  })

  test('turns a thrown ToolError and a broken constraint into refusals, any other error into a fault, and leaves no trace', () => {
    const { instance, call } = scripted(`function (db: Db, args: { x: string }) {
      db.run('INSERT INTO log VALUES (1, 2)')
      if (args.x === 'refuse') throw new ToolError('too_late', 'It is too late.')
      if (args.x === 'constraint') db.run("INSERT INTO order_items VALUES (1, 1, 'again')")
      if (args.x === 'caught') { try { db.run("INSERT INTO order_items VALUES (1, 1, 'again')") } catch (e) { return e.code } }
      return (undefined as any).nothing
    }`)
    expect(call('refuse')).toEqual({
      result: { ok: false, error: { kind: 'business_rejection', code: 'too_late', message: 'It is too late.' } },
      diff: [],
    })
    expect(call('constraint').result).toMatchObject({
      error: { kind: 'business_rejection', code: 'constraint_violation' },
    })
    expect(call('bug').result).toMatchObject({
      error: { kind: 'environment_fault', message: expect.stringContaining('TypeError') },
    })
    expect(instance.verifyDiff()).toEqual([])
    expect(call('caught').result).toEqual({ ok: true, content: 'constraint_violation' })
    expect(instance.verifyDiff()).toHaveLength(1)
    instance.close()
  })

  test('sees a frozen clock and seeded random numbers, and forks with both', () => {
    const body =
      '(db: any, args: any, world: any) => [new Date().toISOString(), Date.now(), new Date(0).getTime(), world.now, Math.random(), world.random()]'
    const { instance, call } = scripted(body, 'read')
    const first = call().result
    expect(first).toMatchObject({
      ok: true,
      content: [clock, Date.parse(clock), 0, clock, expect.any(Number), expect.any(Number)],
    })
    const fork = instance.fork()
    const second = call().result
    expect(second).not.toEqual(first)
    expect(fork.call('run', {}).result).toEqual(second)
    const again = scripted(body, 'read')
    expect(again.call().result).toEqual(first)
    for (const open of [instance, fork, again.instance]) open.close()
  })

  test.each([
    ['UTC', 0],
    ['Pacific/Kiritimati', -840],
    ['America/St_Johns', 210],
  ])('lives in UTC on a machine in %s', (zone, minutesBehind) => {
    const before = process.env.TZ
    process.env.TZ = zone
    try {
      expect(new Date(clock).getTimezoneOffset()).toBe(minutesBehind)
      const body = `() => {
        const late = new Date('2026-03-01T23:30:00Z')
        const set = new Date(0)
        set.setHours(25, 1)
        const parts = [late.getFullYear(), late.getMonth(), late.getDate(), late.getDay(), late.getHours(), late.getYear()]
        const unzoned = ['2026-03-01T09:00:00', '2026-03-01 09:00', 'March 1, 2026 9:00', new String('2026/03/01 09:00')]
        const zoned = ['2026-03-01T09:00:00+14:00', '2026-03-01 09:00 +1400', 'Sat Feb 28 2026 19:00:00 GMT+0000', 'Feb 28, 2026 14:00 EST']
        return {
          parts, offset: late.getTimezoneOffset(), made: new Date(2026, 2, 1).toISOString(), set: set.toISOString(),
          day: Date.parse('2026-03-01') - Date.UTC(2026, 2, 1),
          unzoned: unzoned.map((text) => new Date(text).toISOString()), zoned: zoned.map((text) => new Date(Date.parse(text)).toISOString()),
          written: [String(late), late.toDateString(), late.toTimeString(), late.toLocaleString(), late.toLocaleDateString(), late.toLocaleTimeString(), Date()],
          invalid: [String(new Date('no date')), isNaN(new Date(NaN).getTimezoneOffset()), Date.parse(' '.repeat(5000))],
          copy: new Date(late).getTime() === late.getTime(), isDate: new (class extends Date {})(0) instanceof Date,
        }
      }`
      const { instance, call } = scripted(body, 'read')
      expect(call().result).toEqual({
        ok: true,
        content: {
          parts: [2026, 2, 1, 0, 23, 126],
          offset: 0,
          made: '2026-03-01T00:00:00.000Z',
          set: '1970-01-02T01:01:00.000Z',
          day: 0,
          unzoned: Array.from({ length: 4 }, () => '2026-03-01T09:00:00.000Z'),
          zoned: Array.from({ length: 4 }, () => '2026-02-28T19:00:00.000Z'),
          written: [
            'Sun Mar 01 2026 23:30:00 GMT+0000',
            'Sun Mar 01 2026',
            '23:30:00 GMT+0000',
            '03/01/2026, 11:30:00 PM',
            '03/01/2026',
            '11:30:00 PM',
            'Sun Mar 01 2026 09:00:00 GMT+0000',
          ],
          invalid: ['Invalid Date', true, null],
          copy: true,
          isDate: true,
        },
      })
      instance.close()
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  test('awaits promises', () => {
    const { instance, call } = scripted(
      'async function (db: any) { await null; return (await Promise.all([1, Promise.resolve(2)])).length }',
      'read',
    )
    expect(call().result).toEqual({ ok: true, content: 2 })
    instance.close()
  })

  test.each([
    ['an endless loop', '() => { while (true) {} }', 'timeout'],
    ['an endless loop that catches everything', '() => { for (;;) { try { for (;;) {} } catch {} } }', 'timeout'],
    ['a promise that never settles', '() => new Promise(() => {})', 'timeout'],
    [
      'endless promise reactions',
      '() => { const again = () => Promise.resolve().then(again); return again() }',
      'timeout',
    ],
    ['a catastrophic pattern', "() => /^(a+)+$/.test('a'.repeat(40) + 'b')", 'timeout'],
    ['all of the memory', '() => { const all = []; for (;;) all.push(new Uint8Array(1000000)) }', 'environment_fault'],
    ['endless recursion', '() => { const f = () => f() + 1; return f() }', 'environment_fault'],
    ['the host', "() => (0, eval)('process').env", 'environment_fault'],
    [
      'the host by its constructors',
      "(db: any) => db.all.constructor.constructor('return process')().env",
      'environment_fault',
    ],
    ['a module', "async () => (await import('node:fs')).readFileSync('/etc/passwd')", 'environment_fault'],
    ['the schema', "(db: any) => db.all('SELECT * FROM sqlite_master')", 'environment_fault'],
    ['another file', '(db: any) => db.run("ATTACH \'x.db\' AS x")', 'environment_fault'],
    ['a transaction', "(db: any) => db.run('COMMIT')", 'environment_fault'],
    ['a write by reading', "(db: any) => db.all('DELETE FROM log RETURNING message')", 'environment_fault'],
    [
      'an object that cannot be described',
      '() => { throw { get message() { throw 1 }, toString() { throw 2 } } }',
      'environment_fault',
    ],
    ['a value that is no JSON', '() => { const a: any = {}; a.a = a; return a }', 'environment_fault'],
    ['no function', '42', 'environment_fault'],
  ])(
    'is contained when it asks for %s',
    (_what, body, kind) => {
      const { instance, call } = scripted(body, 'write', kind === 'timeout' ? 100 : 10_000)
      expect(call().result).toMatchObject({ ok: false, error: { kind } })
      expect(instance.verifyDiff()).toEqual([])
      instance.close()
      const next = scripted('() => 1', 'read')
      expect(next.call().result).toEqual({ ok: true, content: 1 })
      next.instance.close()
    },
    20_000,
  )

  test('cannot write when its effect is read, and does not run when it does not compile', () => {
    const reader = scripted("(db: any) => db.run('DELETE FROM log')", 'read')
    expect(reader.call().result).toMatchObject({ error: { kind: 'environment_fault' } })
    const broken = scripted('enum { A }')
    expect(broken.call().result).toMatchObject({
      error: { kind: 'environment_fault', message: expect.stringContaining('tools/run.ts does not compile') },
    })
    for (const { instance } of [reader, broken]) instance.close()
  })

  test('is loaded with its world', async () => {
    const base = tinyEnvironment()
    const tools = [...base.tools, scriptTool('count', 'read')]
    const scripts = {
      ...base.scripts,
      'tools/count.ts': "export default (db: any) => db.get('SELECT count(*) AS n FROM books').n",
    }
    const world = await new ExecutableWorld().open({ environment: { ...base, tools, scripts }, seed: 0 })
    expect((await world.call('count', {}, new AbortController().signal)).result).toEqual({ ok: true, content: 10 })
    await world.close()
  })
})

describe('runVerifierScript', () => {
  const instance = workshop().open({ seed: 0 })
  instance.call('rename_customer', { id: 1, name: 'Anna' })
  const { initial, final, diff } = instance.capture()

  const judge = (body: string, limits = {}) =>
    runVerifierScript(
      { file: 'verifiers/one.ts', source: `export default ${body}` },
      { initial, final, diff, answer: 'Anna', calls: [{ tool: 'rename_customer' }] },
      { clock, limits },
    )

  test('sees both states, the diff, the answer and the calls, and returns its evidence', async () => {
    const result = await judge(`({ initial, final, diff, answer, calls }: any) => {
      const was = initial.query('SELECT name FROM customers WHERE id = @id', { id: 1 })[0].name
      const row = final.rows('customers').find((one: any) => one.id === 1)
      const checks = [
        { name: 'renamed', passed: was === 'Ana' && row.name === answer, expected: 'Anna', actual: row.name },
        { name: 'nothing else', passed: diff.length === 1 && calls.length === 1 && final.tables.includes('orders') },
      ]
      return { passed: checks.every((check) => check.passed), checks }
    }`)
    expect(result).toEqual({
      kind: 'evidence',
      passed: true,
      checks: [
        { name: 'renamed', passed: true, expected: 'Anna', actual: 'Anna' },
        { name: 'nothing else', passed: true },
      ],
    })
  })

  test('gives a timeout, never a verdict, for a script that does not end', async () => {
    expect(await judge('() => { while (true) {} }', { deadlineMs: 50 })).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('verifiers/one.ts'),
    })
    expect(await judge('async () => { await new Promise(() => {}) }')).toMatchObject({ kind: 'timeout' })
  })

  test('gives an error with a stack, never a verdict, for a script that throws', async () => {
    const result = await judge(
      "({ final }: any) => {\n  const rows = final.query('SELECT id FROM customers WHERE id = 99')\n  return rows[0].id\n}",
    )
    expect(result).toMatchObject({ kind: 'error', message: expect.stringContaining('TypeError') })
    expect(result.kind === 'error' && result.stack).toMatch(/verifiers\/one\.ts:3/)
  })

  test.each([
    ['no evidence', '() => true'],
    ['a number', '() => ({ passed: 1, checks: [] })'],
    ['nothing', '() => {}'],
    ['a write', "({ final }: any) => final.query('DELETE FROM log')"],
    ['an unknown table', "({ final }: any) => final.rows('nowhere')"],
    ['a script that does not compile', 'namespace X {}'],
  ])('gives an error for %s', async (_what, body) => {
    expect(await judge(body)).toMatchObject({ kind: 'error' })
  })
})
