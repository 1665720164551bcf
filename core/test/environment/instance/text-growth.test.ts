import { beforeAll, describe, expect, test } from 'vitest'
import { RandomStream } from '../../../src/determinism/random-stream.ts'
import type { EnvironmentInstance, InstanceStrategy } from '../../../src/environment/environment-instance.ts'
import type { ExecutableEnvironment } from '../../../src/environment/executable-environment.ts'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import type { Json, JsonObject } from '../../../src/vocabulary/json.ts'
import type { SqlStep, Tool, ToolResult } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const strategies: readonly InstanceStrategy[] = ['replay', 'clone', 'auto']

const text = { type: 'string', maxLength: 2_000_000 } as const
const id = { type: 'integer' } as const
const run = (sql: string): SqlStep => ({ kind: 'run', sql })
const rows = (sql: string): SqlStep => ({ kind: 'rows', sql })
const write = (name: string, sql: string, properties: JsonObject = {}): Tool => sqlTool(name, properties, [run(sql)])
const read = (name: string, sql: string, properties: JsonObject = {}): Tool => sqlTool(name, properties, [rows(sql)])
const script = (name: string, properties: JsonObject = {}): Tool => ({
  ...sqlTool(name, properties, []),
  effect: 'write',
  implementation: { kind: 'script', file: `tools/${name}.ts` },
})

const many = (count: number, row: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => row(at)).join()

const schema = `CREATE TABLE notes (id INTEGER PRIMARY KEY, folder INTEGER, title TEXT, body TEXT);
CREATE INDEX notes_folder ON notes (folder);
CREATE TABLE rules (id INTEGER PRIMARY KEY, pattern TEXT);
CREATE TABLE tags (note_id INTEGER, word TEXT);
CREATE TABLE events (id INTEGER PRIMARY KEY, said TEXT);
CREATE TABLE copies (body TEXT);
CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT);
CREATE TRIGGER job_done AFTER UPDATE ON jobs BEGIN UPDATE events SET said = said || said; END;`
const data = `INSERT INTO notes VALUES ${many(300, (at) => `(${at + 1}, ${at % 3}, 'note ${at}', 'text of note ${at}')`)};
INSERT INTO rules VALUES (1, '%urgent%'), (2, 'note 1_');
INSERT INTO tags VALUES ${many(2_000, (at) => `(1, 'tag ${at}')`)};
INSERT INTO events VALUES (1, 'begun');
INSERT INTO jobs VALUES (1, 'new');`

const double = 'UPDATE notes SET body = body || body WHERE id = @id'
const compared = 'SELECT count(*) AS n FROM notes AS a JOIN notes AS b ON b.folder = a.folder AND b.body < a.body'

const tools: readonly Tool[] = [
  write('double', double, { id }),
  write('double_all', 'UPDATE notes SET body = body || body'),
  write('say', 'UPDATE notes SET body = @body WHERE id = @id', { id, body: text }),
  write('say_all', 'UPDATE notes SET body = @body', { body: text }),
  write('clear', "UPDATE notes SET body = ''"),
  write('remember', 'INSERT INTO rules (pattern) VALUES (@pattern)', { pattern: text }),
  write('forget', 'DELETE FROM rules WHERE id > 2'),
  write('finish', "UPDATE jobs SET state = 'done'"),
  write('join', 'INSERT INTO copies SELECT group_concat(body) FROM notes'),
  sqlTool('double_and_compare', { id }, [...Array.from({ length: 14 }, () => run(double)), rows(compared)]),
  read('compared', compared),
  read('matching', 'SELECT count(*) AS n FROM notes AS n JOIN rules AS r ON n.body LIKE r.pattern'),
  read('found', "SELECT id FROM notes WHERE body LIKE '%of note 12%' ORDER BY id"),
  read('lengths', 'SELECT id, length(body) AS n FROM notes ORDER BY length(body) DESC, id LIMIT 2'),
  read('tagged', 'SELECT n.body, t.word FROM notes AS n JOIN tags AS t ON t.note_id = n.id WHERE n.id = 1'),
  read('copied', 'SELECT length(body) AS n FROM copies'),
  script('double_for_ever', { id }),
  script('remember_and_match', { pattern: text }),
]

const world = environment(database(schema, data), tools, {
  'tools/double_for_ever.ts': `export default (db, { id }) => {
    let said = 'nothing'
    for (let i = 0; i < 18; i++) db.run('${double}', { id })
    try { db.get('${compared}') } catch (error) { said = error.code }
    db.run("UPDATE notes SET title = @said WHERE id = 2", { said })
  }`,
  'tools/remember_and_match.ts': `export default (db, { pattern }) => {
    db.run('INSERT INTO rules (pattern) VALUES (@pattern)', { pattern })
    return db.get('SELECT count(*) AS n FROM notes AS n JOIN rules AS r ON n.body LIKE r.pattern')
  }`,
})

const rejected = (message: RegExp) => ({
  ok: false,
  error: { kind: 'business_rejection', code: 'state_too_large', message: expect.stringMatching(message) },
})

function times(count: number, instance: EnvironmentInstance, name: string, args: JsonObject = {}): ToolResult[] {
  return Array.from({ length: count }, () => instance.call(name, args).result)
}

const answer = (instance: EnvironmentInstance, name: string, args: JsonObject = {}): Json => {
  const { result } = instance.call(name, args)
  return result.ok ? result.content : result.error.code
}

beforeAll(loadSandbox)

describe.each(strategies)('texts that calls make longer (%s)', (strategy) => {
  const opened = (use: (instance: EnvironmentInstance) => void, of: ExecutableEnvironment = world) => {
    const instance = of.open({ seed: 1, strategy })
    const start = performance.now()
    use(instance)
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(instance.diff()).toEqual(instance.verifyDiff())
    instance.close()
  }

  test('stay below a length: the call that would go beyond it is refused and leaves no trace', () => {
    opened((instance) => {
      const results = times(40, instance, 'double', { id: 1 })
      expect(results.findIndex(({ ok }) => !ok)).toBe(16)
      expect(results.at(-1)).toMatchObject(
        rejected(/^double: it would leave a text of \d+ bytes in notes\.body, at most/),
      )
      expect(answer(instance, 'lengths')).toEqual([
        { id: 1, n: 14 * 2 ** 16 },
        { id: 101, n: 16 },
      ])
      expect(instance.call('say', { id: 1, body: 'short' }).diff).toHaveLength(1)
      expect(answer(instance, 'double', { id: 2 })).toEqual({ changes: 1 })
      expect(answer(instance, 'say', { id: 3, body: 'long '.repeat(300_000) })).toBe('state_too_large')
      expect(instance.diff()).toHaveLength(2)
    })
  })

  test('stay below a length in one call of a script, and behind triggers and joined rows', () => {
    opened((instance) => {
      expect(instance.call('double_for_ever', { id: 3 }).result).toMatchObject(rejected(/notes\.body/))
      expect(instance.diff()).toEqual([])
      times(40, instance, 'finish')
      expect(instance.call('finish', {}).result).toMatchObject(rejected(/^finish: .* events\.said/))
      times(7, instance, 'double_all')
      expect(answer(instance, 'join')).toEqual({ changes: 1 })
      instance.call('double_all', {})
      expect(instance.call('join', {}).result).toMatchObject(rejected(/^join: .* copies\.body/))
      expect(answer(instance, 'copied')).toHaveLength(1)
    })
  })

  test('stay below a sum', () => {
    opened((instance) => {
      const results = times(30, instance, 'double_all')
      expect(results.at(-1)).toMatchObject(rejected(/^double_all: it would leave \d+ characters more than at first/))
      expect(results.findIndex(({ ok }) => !ok)).toBeGreaterThan(10)
      expect(JSON.stringify(instance.diff()).length).toBeLessThan(20_000_000)
      expect(answer(instance, 'clear')).toEqual({ changes: 300 })
    })
  })

  test('are compared only as long as that takes no time', () => {
    opened((instance) => {
      for (let note = 1; note <= 6; note++) times(16, instance, 'double', { id: note })
      const told = rejected(/^compared: "SELECT.*" is too much for the rows .* with texts of up to \d+ characters/)
      expect(instance.call('compared', {}).result).toMatchObject(told)
      expect(() => instance.query(compared)).toThrow(/too much for the rows that earlier calls have left/)
      expect(answer(instance, 'found')).toHaveLength(11)
      const fork = instance.fork()
      expect(answer(fork, 'compared')).toBe('state_too_large')
      expect(answer(fork, 'clear')).toEqual({ changes: 300 })
      expect(answer(fork, 'compared')).toEqual([{ n: 0 }])
      fork.close()
      instance.reset()
      expect(instance.call('compared', {}).result.ok).toBe(true)
    })
  })

  test('are compared so in the call that made them longer, too', () => {
    opened((instance) => {
      for (let note = 1; note <= 6; note++) times(2, instance, 'double', { id: note })
      const told = rejected(/^double_and_compare: "SELECT.*" is too much for the rows .* of up to \d+ characters/)
      expect(instance.call('double_and_compare', { id: 1 }).result).toMatchObject(told)
      expect(instance.call('double_and_compare', { id: 1 }).diff).toEqual([])
    })
  })

  test('are not searched for where they repeat themselves', () => {
    opened((instance) => {
      instance.call('say_all', { body: 'a'.repeat(9_000) })
      instance.call('remember', { pattern: 'note about%' })
      expect(answer(instance, 'matching')).toEqual([{ n: 0 }])
      const pattern = `%${'a'.repeat(4_000)}b%`
      expect(answer(instance, 'remember_and_match', { pattern })).toBe('state_too_large')
      expect(answer(instance, 'remember', { pattern })).toEqual({ changes: 1 })
      expect(instance.call('matching', {}).result).toMatchObject(rejected(/LIKE looks for .* repeat themselves/))
      expect(answer(instance, 'forget')).toEqual({ changes: 2 })
      expect(answer(instance, 'matching')).toEqual([{ n: 0 }])
      expect(answer(instance, 'remember_and_match', { pattern: '%b%' })).toEqual({ n: 0 })
    })
  })

  test('are not returned by very many rows', () => {
    opened((instance) => {
      expect(answer(instance, 'tagged')).toHaveLength(200)
      times(16, instance, 'double', { id: 1 })
      expect(instance.call('tagged', {}).result).toMatchObject(rejected(/would yield more than \d+ characters/))
    })
  })

  test('may be those of long documents', () => {
    const long = `INSERT INTO docs VALUES ${many(6, (at) => `(${at + 1}, 'new', '${`page ${at} of it `.repeat(150_000)}')`)};`
    const documents = environment(
      database('CREATE TABLE docs (id INTEGER PRIMARY KEY, state TEXT, body TEXT);', long),
      [
        write('append', 'UPDATE docs SET body = body || @more WHERE id = @id', { id, more: text }),
        write('publish', "UPDATE docs SET state = 'public'"),
        write('copy', 'INSERT INTO docs (state, body) SELECT state, body FROM docs WHERE id = @id', { id }),
        read('containing', "SELECT id FROM docs WHERE body LIKE '%page 3 of it%'"),
        read('fetch', 'SELECT * FROM docs WHERE id = @id', { id }),
        read('all', 'SELECT * FROM docs ORDER BY id'),
      ],
    )
    opened((instance) => {
      times(20, instance, 'append', { id: 4, more: 'one more line '.repeat(100) })
      expect(instance.call('publish', {}).diff).toHaveLength(6)
      expect(answer(instance, 'copy', { id: 4 })).toEqual({ changes: 1 })
      expect(answer(instance, 'containing')).toEqual([{ id: 4 }, { id: 7 }])
      expect(answer(instance, 'fetch', { id: 4 })).toHaveLength(1)
      expect(answer(instance, 'all')).toHaveLength(7)
    }, documents)
    documents.close()
  })
})

const pieces: readonly string[] = ['%a', 'b_', 'aa%', ' note ', 'x', 'ü', '%']

function randomCall(random: RandomStream): readonly [name: string, args: JsonObject] {
  const one = 1 + random.int(4)
  const body = random.pick(pieces).repeat(random.pick([1, 40, 400, 30_000]))
  return random.pick<readonly [string, JsonObject]>([
    ['double', { id: one }],
    ['double', { id: one }],
    ['double', { id: one }],
    ['double_all', {}],
    ['double_and_compare', { id: one }],
    ['double_for_ever', { id: one }],
    ['say', { id: one, body }],
    ['say_all', { body: body.slice(0, 3_000) }],
    ['remember', { pattern: body }],
    ['remember_and_match', { pattern: body }],
    ['forget', {}],
    ['finish', {}],
    ['join', {}],
    ['compared', {}],
    ['matching', {}],
    ['lengths', {}],
    ['copied', {}],
  ])
}

test.each([1, 2, 3, 4, 5, 6])('calls that make texts longer come out alike in all strategies (seed %i)', (seed) => {
  const plain = world.open({ seed, strategy: 'clone', sharesReads: false })
  const others = strategies.map((strategy) => world.open({ seed, strategy }))
  const random = RandomStream.of(seed, 'texts')
  for (let call = 0; call < 60; call++) {
    const [name, args] = randomCall(random)
    const expected = plain.call(name, args)
    for (const other of others) expect([name, other.call(name, args)]).toEqual([name, expected])
  }
  for (const instance of [plain, ...others]) {
    expect(instance.diff()).toEqual(instance.verifyDiff())
    instance.close()
  }
})
