import type { World, WorldInstance } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, notesOptions, notesServer, openNotes, openWorld, withNotes } from './notes-server.ts'

/** Starting a server is what takes the time: tests that leave no state behind share one. */
const log: string[] = []
let world: World
let odd: WorldInstance
beforeAll(async () => {
  world = await openWorld([notesOptions(notesServer(['odd']))], { maxResultChars: 1_000 }, log)
  odd = await openNotes(world)
})
afterAll(() => world.close())

const withOdd = (use: (notes: WorldInstance) => Promise<void>) => use(odd)

const errorOf = (result: Awaited<ReturnType<typeof call>>) => (result.ok ? null : result.error)

describe('names and arguments', () => {
  test('tools whose names chat APIs or rlenv would refuse are offered under others, and reach the server under their own', () =>
    withNotes(notesServer(), async (notes) => {
      const names = notes.tools.map(({ name }) => name)
      expect(names).toEqual([
        'add_note',
        'list_notes',
        expect.stringMatching(/^count_notes_[0-9a-f]{8}$/),
        expect.stringMatching(/^gro_e_[0-9a-f]{8}$/),
        'tool_reset',
      ])
      await call(notes, 'add_note', { title: 'milk' })
      expect(await call(notes, names[2]!)).toEqual({ ok: true, content: '1' })
      expect(await call(notes, names[3]!)).toEqual({ ok: true, content: 'klein' })
      await call(notes, 'tool_reset')
      expect(await call(notes, names[2]!)).toEqual({ ok: true, content: '0' })
    }))

  test('two tools that would have one name are refused with both names', () =>
    expect(withNotes(notesServer(['collide']), async () => {})).rejects.toMatchObject({
      code: 'RLENV_TOOL_INVALID',
      message: expect.stringMatching(/"reset" and "tool_reset"/),
    }))

  test('only the tools that the options name are offered', () =>
    withNotes(notesServer([], { tools: ['list_notes'] }), async (notes) => {
      expect(notes.tools.map(({ name }) => name)).toEqual(['list_notes'])
      expect(errorOf(await call(notes, 'add_note', { title: 'x' }))).toMatchObject({ kind: 'unknown_tool' })
    }))

  test('a tool without a schema takes nothing, and an invented argument is named', () =>
    withOdd(async (notes) => {
      const shown = notes.tools.find(({ name }) => name === 'arguments')
      expect(shown?.inputSchema).toEqual({ type: 'object', properties: {} })
      expect(await call(notes, 'arguments')).toEqual({ ok: true, content: '{}' })
      expect(errorOf(await call(notes, 'arguments', { warehouse: 'moon' }))).toMatchObject({
        kind: 'invalid_arguments',
        violations: [{ path: '/warehouse' }],
      })
    }))

  test('null, nothing and the default are the same where null is allowed', () =>
    withNotes(notesServer(), async (notes) => {
      for (const [title, args] of Object.entries({ a: { tags: null }, b: {}, c: { tags: ['x'] } })) {
        expect(await call(notes, 'add_note', { title, ...args })).toMatchObject({ ok: true })
      }
      const listed = await call(notes, 'list_notes')
      expect(listed).toMatchObject({ content: { notes: [{ tags: [] }, { tags: [] }, { tags: ['x'] }] } })
    }))

  test('null reaches the server where the tool takes it, and counts as left out where it does not', () =>
    withOdd(async (notes) => {
      expect(await call(notes, 'postpone', { due: null, reason: null })).toEqual({ ok: true, content: '{"due":null}' })
      expect(await call(notes, 'postpone', {})).toEqual({ ok: true, content: '{}' })
    }))

  test('every violation is found before the server is asked', () =>
    withOdd(async (notes) => {
      const error = errorOf(await call(notes, 'add_note', { tags: [1], extra: true }))
      expect(error?.kind).toBe('invalid_arguments')
      expect(error?.violations?.map(({ path }) => path).sort()).toEqual(['/extra', '/tags/0', '/title'])
    }))

  test('references in a schema are followed, so that an object stays an object', () =>
    withOdd(async (notes) => {
      expect(await call(notes, 'plan', { q: {} })).toEqual({ ok: true, content: '{"q":{}}' })
      expect(errorOf(await call(notes, 'plan', { q: [] }))).toMatchObject({ violations: [{ path: '/q' }] })
    }))

  test('a schema that cannot be checked here is passed on, which the log says, and the server checks alone', async () => {
    expect(await call(odd, 'external', { a: 1 })).toEqual({ ok: true, content: '{"a":1}' })
    expect(errorOf(await call(odd, 'external', [1]))).toMatchObject({ kind: 'invalid_arguments' })
    expect(log.join('\n')).toMatch(/arguments of external are checked by the server alone/)
  })

  test('a list of tools comes in pages', () =>
    withNotes(notesServer(['pages']), async (notes) => expect(notes.tools).toHaveLength(5)))

  test('a list of tools that never ends is refused', () =>
    expect(withNotes(notesServer(['endless']), async () => {})).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringContaining('no end'),
    }))

  test('a tool that a server adds while it runs can be called, and is offered from then on', () =>
    withOdd(async (notes) => {
      expect(errorOf(await call(notes, 'learned'))).toMatchObject({ kind: 'unknown_tool' })
      const before = notes.tools
      await call(notes, 'learn')
      expect(notes.tools).not.toBe(before)
      expect(await call(notes, 'learned')).toEqual({ ok: true, content: 'I know' })
    }))
})

describe('results', () => {
  test('a refusal of the tool is a business rejection with its words', () =>
    withNotes(notesServer(), async (notes) => {
      await call(notes, 'add_note', { title: 'milk' })
      expect(errorOf(await call(notes, 'add_note', { title: 'milk' }))).toEqual({
        kind: 'business_rejection',
        code: 'tool_error',
        message: 'there is a note "milk"',
      })
    }))

  test('structured content stands for text that only repeats it', () =>
    withOdd(async (notes) => {
      expect(await call(notes, 'list_notes')).toEqual({ ok: true, content: { notes: [] } })
    }))

  test('images and resources are described, texts kept', () =>
    withOdd(async (notes) => {
      expect(await call(notes, 'media')).toEqual({
        ok: true,
        content: [
          '[image image/png, 300 bytes]',
          '[resource notes://1 text/plain]\nfirst note',
          '[resource notes://2, 5 bytes]',
          '[resource notes://3, third: a third note]',
        ].join('\n'),
      })
      expect(await call(notes, 'nothing')).toEqual({ ok: true, content: '', notice: 'the tool returned no content' })
    }))

  test('300,000 characters are cut with a notice of what is missing', () =>
    withOdd(async (notes) => {
      const result = await call(notes, 'big', { chars: 300_000 })
      expect(result).toMatchObject({ ok: true, notice: expect.stringContaining('299000 of 300000') })
      expect(result.ok && result.content).toHaveLength(1_000)
    }))

  test.each(['void', 'not_a_result', 'unlike_schema', 'without_structure'])(
    "what is no result, or not the one that was promised, is the environment's fault: %s",
    (tool) =>
      withOdd(async (notes) => {
        const error = errorOf(await call(notes, tool))
        expect(error).toMatchObject({ kind: 'environment_fault', message: expect.stringContaining(tool) })
      }),
  )

  test('a refusal needs no structured content', () =>
    withOdd(async (notes) => {
      expect(errorOf(await call(notes, 'error_with_schema'))).toMatchObject({
        kind: 'business_rejection',
        message: 'no',
      })
    }))
})
