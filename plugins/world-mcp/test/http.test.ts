import { secret } from 'rlenv'
import { afterEach, describe, expect, test } from 'vitest'
import { AnswerlessServer, answers } from './answerless-server.ts'
import { NotesHttp, type NotesOptions } from './notes-http.ts'
import { call, notesOptions, openNotes, openWorld } from './notes-server.ts'

const running: NotesHttp[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
})

async function serve(options: NotesOptions = {}): Promise<{ server: NotesHttp; url: string }> {
  const server = new NotesHttp(options)
  running.push(server)
  return { server, url: await server.listen() }
}

const failure = (kind: string) => ({ ok: false, error: expect.objectContaining({ kind }) })

describe.each([{ json: false }, { json: true }])('a server behind a URL, %o', (options) => {
  test('gives each instance a session, and each session ends with its instance', async () => {
    const { server, url } = await serve(options)
    const world = await openWorld([notesOptions({ url })])
    const [first, second] = [await openNotes(world), await openNotes(world)]
    expect(await call(first, 'add')).toEqual({ ok: true, content: '1' })
    expect(await call(second, 'list')).toEqual({ ok: true, content: '0' })
    expect(server.sessions.size).toBe(2)
    await first.close()
    expect(server.sessions.size).toBe(1)
    await world.close()
    expect(server.sessions.size).toBe(0)
  })

  test("that goes away is the environment's fault, in mid-call and afterwards", async () => {
    const { server, url } = await serve(options)
    const world = await openWorld([notesOptions({ url })])
    const notes = await openNotes(world)
    expect(await call(notes, 'cut')).toEqual(failure('environment_fault'))
    expect(server.calls).toEqual(['cut'])
    await server.stop()
    running.splice(0)
    expect(await call(notes, 'list')).toEqual(failure('environment_fault'))
    await world.close()
  })

  test('that does not answer is a timeout, after one request', async () => {
    const { server, url } = await serve(options)
    const world = await openWorld([notesOptions({ url })], { callTimeoutMs: 300 })
    const notes = await openNotes(world)
    expect(await call(notes, 'hang')).toEqual(failure('timeout'))
    expect(await call(notes, 'list')).toEqual({ ok: true, content: '0' })
    expect(server.calls).toEqual(['hang', 'list'])
    await world.close()
  })
})

test.each(Object.keys(answers))(
  "a response that ends without an answer is the environment's fault: %s",
  async (tool) => {
    const server = new AnswerlessServer()
    const world = await openWorld([notesOptions({ url: await server.listen() })])
    const started = performance.now()
    expect(await call(await openNotes(world), tool)).toMatchObject({
      ok: false,
      error: { kind: 'environment_fault', message: expect.stringContaining(tool) },
    })
    // Long before the time limit of a call, which is 25 seconds.
    expect(performance.now() - started).toBeLessThan(15_000)
    await world.close()
    await server.stop()
  },
)

test('a session that the server has forgotten is its fault', async () => {
  const { server, url } = await serve()
  const world = await openWorld([notesOptions({ url })])
  const notes = await openNotes(world)
  server.sessions.clear()
  expect(await call(notes, 'list')).toEqual(failure('environment_fault'))
  await world.close()
})

test('headers come from the environment, and their values are in no error', async () => {
  process.env.WORLD_MCP_TEST_KEY = 'Bearer very-secret-1'
  const { server, url } = await serve()
  const options = notesOptions({ url, headers: { Authorization: secret('WORLD_MCP_TEST_KEY') } })
  const world = await openWorld([options])
  await openNotes(world)
  expect(new Set(server.seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer very-secret-1']))
  await server.stop()
  running.splice(0)
  const error = await openNotes(world).then(
    () => null,
    (cause: unknown) => cause as Error,
  )
  expect(error).toMatchObject({ code: 'RLENV_SERVER_FAILED', message: expect.stringMatching(/fetch failed: ./) })
  expect(String(error?.message)).not.toContain('very-secret')
  await world.close()
})

test('a header that is written out is refused', async () => {
  const options = notesOptions({ url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer x' as never } })
  await expect(openWorld([options])).rejects.toMatchObject({ code: 'RLENV_PLUGIN_OPTIONS' })
})

test('a server with one state for all is reset for every instance, and has one at a time', async () => {
  const { server, url } = await serve({ shared: true })
  const world = await openWorld([notesOptions({ url, reset: { tool: 'wipe' }, state: { tool: 'list' } })])
  const first = await openNotes(world)
  await call(first, 'add')
  expect((await first.capture())?.diff).toHaveLength(2)
  let isOpen = false
  const opening = openNotes(world).then((instance) => {
    isOpen = true
    return instance
  })
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(isOpen).toBe(false)
  await first.close()
  const second = await opening
  expect(await call(second, 'list')).toEqual({ ok: true, content: '0' })
  expect(server.calls.filter((name) => name === 'wipe')).toHaveLength(2)
  await world.close()
})
