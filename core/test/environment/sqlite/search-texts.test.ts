import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import { searchTexts } from '../../../src/environment/sqlite/search-texts.ts'
import { sqlTokens } from '../../../src/environment/sqlite/sql-text.ts'
import { selfOverlap } from '../../../src/environment/sqlite/text-repetition.ts'
import type { Json } from '../../../src/vocabulary/json.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const text = { type: 'string' } as const
const anything = {} as const
const rows = (sql: string) => [{ kind: 'rows' as const, sql }]

const schema =
  'CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT, body TEXT); CREATE VIRTUAL TABLE notes USING fts5(body);'
const data = `INSERT INTO t VALUES (1, 'bee', 'a short body'), (2, '${'a'.repeat(40)}b', 'Another body');
  INSERT INTO notes VALUES ('a note of many words')`

const world = environment(
  database(schema, data),
  [
    sqlTool('joined', { q: text }, rows("SELECT id FROM t WHERE body LIKE '%'||@q||'%'")),
    sqlTool('whole', { q: text }, rows('SELECT id FROM t WHERE body LIKE @q')),
    sqlTool('escaped', { q: text }, rows("SELECT id FROM t WHERE body LIKE '%' || @q || '%' ESCAPE '\\'")),
    sqlTool('words', { q: text }, rows("SELECT id FROM t WHERE body LIKE '%'||replace(@q,' ','%')||'%'")),
    sqlTool('lower', { q: text }, rows("SELECT id FROM t WHERE lower(body) LIKE ('%' || lower(@q) || '%') OR id = 0")),
    sqlTool('glob', { q: text }, rows("SELECT id FROM t WHERE NOT body GLOB '*'||@q||'*' AND id < 0")),
    sqlTool('call', { q: text }, rows("SELECT id FROM t WHERE like('%'||@q||'%', body)")),
    sqlTool('case', { q: text }, rows('SELECT id FROM t WHERE body LIKE CASE WHEN 1 THEN @q END')),
    sqlTool('query', { q: text }, rows("WITH p(x) AS (SELECT '%'||@q||'%') SELECT id FROM t, p WHERE body LIKE p.x")),
    sqlTool('backwards', { q: text }, rows("SELECT id FROM t WHERE @q LIKE '%'||word||'%'")),
    sqlTool('instr', { q: text }, rows('SELECT id FROM t WHERE instr(body, lower(@q)) > 0')),
    sqlTool('swap', { q: text }, rows("SELECT replace(body, @q, '') AS b FROM t")),
    sqlTool('list', { q: anything }, rows('SELECT id FROM t WHERE body LIKE @q')),
    sqlTool('earlier', { id: { type: 'integer' } }, [
      { kind: 'row', sql: 'SELECT word FROM t WHERE id = @id', as: 'own', error: { code: 'gone', message: 'Gone.' } },
      { kind: 'rows', sql: "SELECT id FROM t WHERE body LIKE '%'||@own__word||'%'" },
    ]),
    sqlTool('trim', { q: text }, rows('SELECT trim(body, @q) AS b FROM t')),
    sqlTool('match', { q: text }, rows('SELECT body FROM notes WHERE notes MATCH @q')),
    sqlTool('equal', { q: text }, rows('SELECT body FROM notes WHERE notes = @q')),
    sqlTool('called', { q: text }, rows('SELECT n.body FROM notes(@q) AS n')),
    sqlTool('compared', { q: text }, rows('SELECT body FROM notes WHERE body = @q')),
    sqlTool('fixed', { q: text }, rows("SELECT id FROM t WHERE body = @q AND word LIKE 'b%'")),
    {
      ...sqlTool('script', { q: text }, rows('SELECT 1')),
      implementation: { kind: 'script', file: 'tools/find.ts' },
    },
  ],
  {
    'tools/find.ts': "export default (db, { q }) => db.all(\"SELECT id FROM t WHERE body LIKE '%'||@q||'%'\", { q })",
  },
)

beforeAll(async () => {
  await loadSandbox()
})

function call(tool: string, q: Json) {
  const instance = world.open({ seed: 1 })
  const { result } = instance.call(tool, { q })
  instance.close()
  return result
}

/** No invalid argument, at which presets end a rollout: nobody was told of the bound beforehand. */
const refusal = { kind: 'business_rejection', code: 'statement_failed' }

const searching = 'joined whole escaped words lower glob call case query backwards instr swap'.split(' ')

describe('a text that is searched for', () => {
  const costly = {
    'one letter again and again': `${'a'.repeat(2_000)}b`,
    'two letters again and again': `${'ab'.repeat(400)}c`,
    'the same in either case': `${'aA'.repeat(400)}c`,
    'a tail of one letter': `b ${'a'.repeat(2_000)}b`,
    'wildcards for one character': `a${'_'.repeat(2_000)}b`,
    'wildcards for any text': `${'%a'.repeat(2_000)}b`,
    'classes of characters': `${'[a-z]'.repeat(400)}b`,
  }
  for (const [what, q] of Object.entries(costly)) {
    test.each(searching)(`is refused, though the schema allows it, when it is ${what}: %s`, (tool) => {
      expect(call(tool, q)).toMatchObject({
        ok: false,
        error: { ...refusal, message: expect.stringContaining('q must have at most 32') },
      })
    })
  }

  const written =
    'A customer writes: "Hello, my order 4711 has not come yet; could you please look where it is? Thank you so much!" ' +
    'It was placed on 2026-02-11, paid by card (VISA), and was to be sent to Åsa Lindström, Storgatan 5, 111 23 Stockholm.'
  test.each(searching)('may be short, or as long as people write: %s', (tool) => {
    for (const q of ['body', '%body', `${'a'.repeat(31)}b`, written]) expect([q, call(tool, q).ok]).toEqual([q, true])
  })

  test('is looked at in the form in which a list is bound, and in the rows of an earlier step', () => {
    expect(call('list', ['a'.repeat(4_000)])).toMatchObject({ ok: false, error: refusal })
    const instance = world.open({ seed: 1 })
    expect(instance.call('earlier', { id: 1 }).result).toEqual({ ok: true, content: [] })
    expect(instance.call('earlier', { id: 2 }).result).toMatchObject({
      ok: false,
      error: { ...refusal, message: expect.stringContaining('own__word') },
    })
    instance.close()
  })

  test('is refused by the statement of a script alike', () => {
    expect(call('script', 'short').ok).toBe(true)
    expect(call('script', 'a'.repeat(500))).toMatchObject({
      ok: false,
      error: { ...refusal, message: expect.stringContaining('q must have') },
    })
  })

  test.each(['match', 'equal', 'called'])('is bounded in words where the index searches: %s', (tool) => {
    expect(call(tool, 'note OR words')).toEqual({ ok: true, content: [{ body: 'a note of many words' }] })
    for (const q of [`"${'a '.repeat(33)}"`, `NEAR(${'a '.repeat(9)}, 10)`, `${'x'.repeat(257)}`])
      expect(call(tool, q)).toMatchObject({ ok: false, error: refusal })
  })

  test('is bounded in characters where trim() looks for them', () => {
    expect(call('trim', 'a ').ok).toBe(true)
    expect(call('trim', 'x'.repeat(17))).toMatchObject({ ok: false, error: refusal })
  })

  test('may be anything where the pattern is fixed', () => {
    expect(call('fixed', 'a'.repeat(9_000))).toEqual({ ok: true, content: [] })
    expect(call('compared', 'a '.repeat(900))).toEqual({ ok: true, content: [] })
  })
})

describe('searchTexts', () => {
  const found = (sql: string) => searchTexts(sqlTokens(sql)).map(({ parameter, role }) => `${role} ${parameter}`)
  test.each([
    ["SELECT 1 FROM t WHERE a = @a AND b LIKE '%'||@b||'%' AND c = @c", ['pattern b']],
    ['SELECT a LIKE @a ESCAPE @e, @b FROM t WHERE c = @c', ['pattern a', 'pattern e']],
    ['UPDATE t SET a = @a WHERE b GLOB lower(trim(@b)) OR c = @c', ['pattern b']],
    ["SELECT trim(@a), ltrim(@b, 'x'), rtrim(x, upper(@c)), @d", ['characters c']],
    ["SELECT 1 FROM n WHERE n MATCH @a || '*' ORDER BY @b", ['query a']],
    ['SELECT 1 FROM t WHERE a LIKE (SELECT b FROM t WHERE c = @c) AND d = @d', ['pattern c', 'pattern d']],
    ['UPDATE t SET a = @a WHERE b LIKE @b COLLATE NOCASE AND c = @c', ['pattern b']],
    ['UPDATE t SET a = @a WHERE b LIKE coalesce(@b, NULL) OR c LIKE CAST(@c AS TEXT)', ['pattern b', 'pattern c']],
    ['SELECT instr(a, @a), replace(b, @b, @c) FROM t WHERE d = @d', ['needle a', 'needle b']],
    ['SELECT 1 FROM t WHERE a LIKE end AND b = @b', ['pattern b']],
    ['SELECT CASE WHEN end LIKE @a THEN t.end ELSE end END, @b FROM t', ['pattern a']],
    ["SELECT 1 FROM t WHERE a LIKE 'x%' AND b = @b", []],
  ])('%s', (sql, parameters) => expect(found(sql)).toEqual(parameters))
})

describe('selfOverlap', () => {
  /** Comparisons at one character while `pattern` is tried at each place of `within`, counted one by one. */
  function comparisons(pattern: string, within: string): number {
    const looked = new Array<number>(within.length).fill(0)
    for (let start = 0; start < within.length; start++) {
      for (let at = 0; at < pattern.length && start + at < within.length; at++) {
        looked[start + at] = (looked[start + at] ?? 0) + 1
        if (pattern[at] !== within[start + at]) break
      }
    }
    return Math.max(0, ...looked)
  }

  test('is never passed by what a search by trial does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 })
    fc.assert(
      fc.property(letters, letters, (pattern, within) => {
        expect(comparisons(pattern, within)).toBeLessThanOrEqual(selfOverlap(pattern) + 1)
      }),
      { numRuns: 500 },
    )
  })

  test('is the length of a text of one letter, and small for what people write', () => {
    expect(selfOverlap('a'.repeat(500))).toBe(500)
    expect(selfOverlap('')).toBe(0)
    expect(selfOverlap(Array.from({ length: 200_000 }, (_, word) => word.toString(36)).join(' '))).toBeLessThan(9)
    expect(selfOverlap('the order of the customer that was placed at the end of the week')).toBeLessThan(5)
  })
})
