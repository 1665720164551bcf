import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { hangingScripts } from '../fixtures/hanging-attacks.ts'
import { environment, sqlTool } from '../workshop.ts'

/** What does nothing to each of an endless number of missing elements. */
function onEndlessList(calls: Readonly<Record<string, string>>): Record<string, string> {
  const attack = (call: string) => `() => { const a = []; a.length = 2 ** 32 - 1; return a.${call} }`
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [`${name} of an empty list without end`, attack(call)]),
  )
}

/** By defence: what is tried, and the body of a script that tries it. */
const attacks = {
  deadline: {
    'a getter in the result': '() => ({ get x() { for (;;) {} } })',
    'toJSON of the result': '() => ({ toJSON() { for (;;) {} } })',
    'a generator without end': '() => { function* g() { for (;;) yield 1 } for (const _ of g()) {} }',
    'a species constructor':
      '() => { class A extends Array { static get [Symbol.species]() { for (;;) {} } } return new A(1, 2).map((x) => x) }',
    'a loop that swallows its interruption': '() => { for (;;) { try { for (;;) {} } catch {} } }',
    'a loop that goes on in finally': '() => { for (;;) { try { throw 1 } finally { continue } } }',
    'a pattern with nested repetition': "() => /^(a+)+$/.test('a'.repeat(40) + 'b')",
    'a pattern with adjacent repetition': "() => /(x+x+)+y/.test('x'.repeat(40))",
    'a comparison of sort': '() => [3, 2, 1].sort(() => { for (;;) {} })',
    'a callback of replace': "() => 'aaa'.replace(/a/g, () => { for (;;) {} })",
    'texts made again and again': "() => { for (;;) 'x'.repeat(4e6) }",
    'texts put together again and again': "() => { const a = 'x'.repeat(4e6); for (let i = 0; ; i++) a + i }",
    'bytes sorted again and again': '() => { const a = new Uint8Array(1.5e7); for (;;) a.sort() }',
    'buffers made again and again': '() => { for (;;) new Uint8Array(1e7) }',
    'a list sorted again and again, errors swallowed':
      '() => { const a = Array.from({ length: 1e5 }, (_, i) => -i); for (;;) { try { a.toSorted() } catch {} } }',
    'keys listed again and again':
      '() => { const o = {}; for (let i = 0; i < 5e4; i++) o[i] = i; for (;;) Object.keys(o) }',
    'JSON written again and again': '() => { const a = new Array(1e5).fill(1); for (;;) JSON.stringify(a) }',
    'a set copied again and again':
      '() => { const s = new Set(Array.from({ length: 5e4 }, (_, i) => i)); for (;;) new Set(s) }',
    'a pattern tried again and again': "() => { const a = 'x'.repeat(1e6); for (;;) /y/.test(a) }",
    'recursion out of finally': '() => { const f = () => { try { f() } finally { f() } }; f() }',
    'recursion out of catch': '() => { const f = () => { try { f() } catch { f() } }; f() }',
    'recursion out of both': '() => { const f = () => { try { f() } catch { f() } finally { f() } }; f() }',
    'recursion out of an iterator that is closed':
      '() => { const list = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return: () => f() }) }; const f = () => { for (const _ of list) f() }; f() }',
    'recursion out of a getter': '() => { const o = { get x() { try { return o.x } finally { o.x } } }; return o.x }',
    'recursion of generators':
      '() => { function* g() { try { yield* g() } finally { yield* g() } } for (const _ of g()) {} }',
    'recursion of what awaits':
      'async () => { const f = async () => { try { await f() } finally { await f() } }; await f() }',
    'promise reactions without end': '() => { const again = () => Promise.resolve().then(again); return again() }',
  },
  'memory limit': {
    'closures around closures': '() => { let f = () => 0; for (;;) { const g = f; f = () => g() } }',
    'a text that doubles': "() => { let s = 'x'; for (;;) s += s }",
    repeat: "() => 'x'.repeat(2 ** 30)",
    padEnd: "() => 'x'.padEnd(2 ** 30, 'y')",
    'an array buffer': '() => new ArrayBuffer(2 ** 31)',
    'a set of a list that grew meanwhile':
      '() => { const a = []; const i = a.values(); a.length = 2 ** 32 - 1; return new Set(i).size }',
    'an array that doubles': '() => { let a = [1]; for (;;) a = a.concat(a) }',
    'byte arrays': '() => { const all = []; for (;;) all.push(new Uint8Array(1000000)) }',
    'an integer of many bits': '() => 1n << 80000000n',
    'the normal form of a long text': "() => '\\u0344'.repeat(5000000).normalize('NFD').length",
  },
  'length limit': {
    'an array filled': '() => new Array(2 ** 28).fill(1)',
    ...onEndlessList({
      join: "join('x')",
      'a conversion to text': 'toString()',
      indexOf: 'indexOf(1)',
      includes: 'includes(1)',
      reverse: 'reverse()',
      forEach: 'forEach(() => 0)',
      sort: 'sort()',
      copyWithin: 'copyWithin(0, 1)',
      concat: 'concat([1])',
      flat: 'flat()',
      'an iterator': 'values()',
    }),
    'flat of an empty list without end inside another':
      '() => { const a = []; a.length = 2 ** 32 - 1; return [a].flat() }',
    'flatMap to empty lists without end': '() => [1].flatMap(() => new Array(2 ** 32 - 1)).length',
    'concat with an empty list without end': '() => [1].concat(new Array(2 ** 32 - 1)).length',
    'what only looks like a list': '() => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'a length that changes when it is read':
      '() => { let n = 0; return Array.prototype.indexOf.call({ get length() { return n++ ? 2 ** 53 - 1 : 0 } }, 1) }',
    'a byte array of a false length':
      "() => Array.prototype.indexOf.call(Object.defineProperty(new Uint8Array(1), 'length', { value: 2 ** 53 - 1 }), 1)",
    'an element that makes another list longer':
      '() => { const b = [1]; const a = [{}]; Object.defineProperty(a, 0, { get() { b.length = 2 ** 32 - 1; return 0 } }); return [].concat(a, b).length }',
    'an iterator that skips a list without end':
      '() => { const a = []; const i = a.values(); a.length = 2 ** 32 - 1; return i.drop(2 ** 32 - 2).next() }',
    'a search for a long text': "() => 'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')",
    'a search backwards': "() => 'a'.repeat(4e6).lastIndexOf('a'.repeat(2e6) + 'b')",
    'a division by a long text': "() => 'a'.repeat(4e6).split('a'.repeat(2e6) + 'b').length",
    'a replacement of a long text':
      "() => 'a'.repeat(4e6).replaceAll({ toString: () => 'a'.repeat(2e6) + 'b' }, '').length",
    'a search for a pattern that says it is a text':
      "() => { const p = /a/; p.toString = () => 'a'.repeat(2e6) + 'b'; return 'a'.repeat(4e6).indexOf(p) }",
  },
  'stack limit': {
    'endless recursion': '() => { const f = () => f() + 1; return f() }',
    'text made of itself': "() => { const o = { toString: () => '' + o }; return '' + o }",
  },
  'given-up module': {
    'source nested deeply': "() => (0, eval)('['.repeat(100000))",
    'a function nested deeply': "() => new Function('return ' + '('.repeat(100000) + ')'.repeat(100000))",
    'a result nested deeply': '() => { let a = []; for (let i = 0; i < 20000; i++) a = [a]; return a }',
  },
  'depth limit': {
    'JSON nested deeply': "() => JSON.parse('['.repeat(200000))",
    'a result of some depth': '() => { let a = []; for (let i = 0; i < 300; i++) a = [a]; return a }',
  },
  'no host objects': {
    'the process by name': '() => process.exit()',
    'the process by eval': "() => (0, eval)('process').exit()",
    'the process by a constructor': "(db) => db.all.constructor.constructor('return process')().exit()",
    'the process by an error':
      "(db) => { try { db.all('?') } catch (e) { return e.constructor.constructor('return process')().exit() } }",
    'a module of Node': "async () => (await import('node:fs')).readFileSync('/etc/passwd')",
    'a module of QuickJS': "async () => (await import('std')).exit(0)",
    'a proxy, of which nothing can be known': '() => new Proxy([], {}).length',
    'the network': "() => fetch('http://127.0.0.1')",
    'a timer': '() => setTimeout(() => {}, 0)',
    'another thread': '() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  },
  'guarded description': {
    'an error whose message throws': '() => { throw { get message() { throw 1 }, toString() { throw 2 } } }',
    'an error whose stack never ends':
      "() => { const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;) {} } }); throw e }",
  },
} as const

const table = Object.entries(attacks).flatMap(([defence, tried]) =>
  Object.entries(tried).map(([attack, body]) => ({ defence, attack, body })),
)

const fileOf = (attack: string) => `tools/${attack.replaceAll(' ', '_')}.ts`

function scriptTool(name: string, file: string): Tool {
  return { ...sqlTool(name, {}, []), implementation: { kind: 'script', file } }
}

const harmless = { 'tools/harmless.ts': "export default (db: any) => db.all('SELECT 7 AS n')" }
const world = environment(
  { schema: 'CREATE TABLE log (message TEXT)', data: '', clock: '2026-03-01T09:00:00.000Z', annotations: {} },
  [
    scriptTool('harmless', 'tools/harmless.ts'),
    ...table.map((_, index) => scriptTool(`attack_${index}`, fileOf(table[index]?.attack ?? ''))),
  ],
  { ...harmless, ...Object.fromEntries(table.map(({ attack, body }) => [fileOf(attack), `export default ${body}`])) },
)

/** What an agent is told, by the defence that held. */
const told: Readonly<Record<keyof typeof attacks, RegExp>> = {
  deadline: /timed out: (it ran for more than|its promise never settles)/,
  'memory limit': /out of memory|string too long|invalid string length|invalid array buffer length|BigInt is too large/,
  'length limit': /a list of more than|not a list with a length|more than \d+ elements|a search for \d+ characters/,
  'stack limit': /stack overflow|broke its sandbox/,
  'given-up module': /broke its sandbox|nested in more than/,
  'depth limit': /nested in more than/,
  'no host objects': /ReferenceError|could not load module/,
  'guarded description': /cannot be described|timed out|thrown: /,
}

describe('a hostile script', () => {
  beforeEach(loadSandbox)

  test.each(table.map((row, index) => ({ ...row, tool: `attack_${index}` })))(
    'that tries $attack is held by the $defence',
    ({ tool, defence }) => {
      // Long enough for the other defences, on a busy machine as well.
      const deadlineMs = defence === 'deadline' ? 200 : 10_000
      const instance = world.open({ seed: 1, scriptLimits: { deadlineMs } })
      expect(instance.call('harmless', {}).result).toEqual({ ok: true, content: [{ n: 7 }] })
      const { result } = instance.call(tool, {})
      expect(result).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(told[defence as keyof typeof told]) },
      })
      expect(instance.call('harmless', {}).result).toEqual({ ok: true, content: [{ n: 7 }] })
      const other = world.open({ seed: 2 })
      expect(other.call('harmless', {}).result).toEqual({ ok: true, content: [{ n: 7 }] })
      for (const open of [instance, other]) open.close()
    },
    30_000,
  )
})

describe('a script that poisons its own surroundings', () => {
  const body = `(db: any, args: any) => {
    if (args.poison) {
      Object.prototype.value = 1
      Array.prototype.push = () => { throw 1 }
      String.prototype.indexOf = () => { throw 2 }
      JSON.parse = () => ({})
      JSON.stringify = () => '"forged"'
      Promise.prototype.then = () => { throw 3 }
      globalThis.ToolError = null
    }
    return [db.all("SELECT 'x' AS x"), db.get('SELECT 2 AS y'), Object.keys(globalThis)]
  }`
  const poisoned = environment(
    { schema: 'CREATE TABLE log (message TEXT)', data: '', clock: '2026-03-01T09:00:00.000Z', annotations: {} },
    [
      {
        ...sqlTool('run', { poison: { type: 'boolean' } }, []),
        implementation: { kind: 'script', file: 'tools/run.ts' },
      },
    ],
    { 'tools/run.ts': `export default ${body}` },
  )
  beforeAll(loadSandbox)

  test('still talks to the host in the host’s words, and to itself only', () => {
    const instance = poisoned.open({ seed: 1 })
    const expected = { ok: true, content: [[{ x: 'x' }], { y: 2 }, ['ToolError']] }
    expect(instance.call('run', { poison: true }).result).toEqual(expected)
    const other = poisoned.open({ seed: 1 })
    expect(other.call('run', { poison: false }).result).toEqual(expected)
    for (const open of [instance, other]) open.close()
  })
})

describe('a script that breaks its module', () => {
  beforeAll(loadSandbox)

  test('leaves others a sound one, several times in one turn of the event loop', () => {
    const at = table.findIndex(({ attack }) => attack === 'source nested deeply')
    for (let time = 0; time < 3; time++) {
      const instance = world.open({ seed: time })
      expect(instance.call(`attack_${at}`, {}).result).toMatchObject({ ok: false })
      expect(instance.call('harmless', {}).result).toMatchObject({ ok: true })
      instance.close()
    }
  })
})

/** QuickJS as the sandbox sets it up, with a deadline of 50 ms, in a thread of its own. */
const hangingThread = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { getQuickJS } = require('quickjs-emscripten')
  getQuickJS().then((quickjs) => {
    const runtime = quickjs.newRuntime()
    runtime.setMemoryLimit(16 * 1024 * 1024)
    runtime.setMaxStackSize(256 * 1024)
    const context = runtime.newContext()
    const until = performance.now() + 50
    runtime.setInterruptHandler(() => performance.now() > until)
    parentPort.postMessage('started')
    context.evalCode('(' + workerData + ')()')
    parentPort.postMessage('ended')
  })`

describe('a script in which no deadline is heard', () => {
  test.each(Object.entries(hangingScripts))(
    'that tries %s is held by ending its thread',
    async (_attack, source) => {
      const worker = new Worker(hangingThread, { eval: true, workerData: source.replace('export default ', '') })
      const messages: unknown[] = []
      worker.on('message', (message) => messages.push(message))
      await once(worker, 'message')
      await setTimeout(400)
      expect(messages).toEqual(['started'])
      expect(await worker.terminate()).toBe(1)
      expect(messages).toEqual(['started'])
    },
    20_000,
  )
})
