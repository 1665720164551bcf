import { describe, expect, test } from 'vitest'
import { call, notesOptions, notesServer, openNotes, openWorld, withNotes } from './notes-server.ts'

const odd = (...modes: readonly string[]) => notesServer(['odd', ...modes])
const errorOf = (result: Awaited<ReturnType<typeof call>>) => (result.ok ? null : result.error)

describe('a server that fails', () => {
  test('one that exits at once is a failure to open, with its code and what it last said', () =>
    expect(withNotes(notesServer(['exit']), async () => {})).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringMatching(/exited with code 3.*cannot open the store: permission denied/),
    }))

  test('a command that does not exist is named', () =>
    expect(withNotes({ command: 'no-such-mcp-server' }, async () => {})).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringMatching(/no-such-mcp-server.*ENOENT/),
    }))

  test('one that never answers initialize is given up, and killed', async () => {
    const started = performance.now()
    await expect(withNotes(notesServer(['mute']), async () => {}, { startTimeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringMatching(/not ready within 1500 ms.*still loading the model/),
    })
    expect(performance.now() - started).toBeLessThan(6_000)
  })

  test('opening ends at once when the run is cancelled', async () => {
    const world = await openWorld([notesOptions(notesServer(['mute']))])
    const stop = new AbortController()
    const opening = openNotes(world, stop.signal)
    setTimeout(() => stop.abort(new Error('enough')), 300)
    await expect(opening).rejects.toThrow('enough')
    await world.close()
  })

  test('a banner and a logger on stdout are skipped, which the log says once', async () => {
    const log: string[] = []
    await withNotes(
      odd('banner'),
      async (notes) => {
        expect(await call(notes, 'shout')).toEqual({ ok: true, content: 'shouted' })
        expect(await call(notes, 'pid')).toMatchObject({ ok: true })
      },
      {},
      log,
    )
    expect(log.filter((line) => line.includes('no protocol'))).toHaveLength(1)
  })

  test('a chatty stderr neither blocks the server nor fills the memory, and its end is in the error', async () => {
    await withNotes(odd('chatty'), async (notes) => {
      const error = errorOf(await call(notes, 'crash'))
      expect(error?.message).toMatch(/out of memory, says the server/)
      expect(error?.message.length).toBeLessThan(3_000)
    })
  })

  test("one that dies in mid-call is the environment's fault, and so is every call after it", () =>
    withNotes(odd(), async (notes) => {
      const waiting = call(notes, 'sleep', { ms: 60_000 })
      const crashed = errorOf(await call(notes, 'crash'))
      expect(crashed).toMatchObject({ kind: 'environment_fault', message: expect.stringContaining('code 9') })
      expect(errorOf(await waiting)).toMatchObject({ kind: 'environment_fault' })
      expect(errorOf(await call(notes, 'pid'))).toMatchObject({ kind: 'environment_fault' })
    }))

  test('one that writes a message without end is killed at the bound', () =>
    withNotes(odd(), async (notes) => {
      expect(errorOf(await call(notes, 'flood'))).toMatchObject({
        kind: 'environment_fault',
        message: expect.stringMatching(/a message of more than \d+ bytes/),
      })
    }))
})

describe('a call that takes too long', () => {
  test('is a timeout, the server is told, and it is not sent again', () =>
    withNotes(
      odd(),
      async (notes) => {
        const error = errorOf(await call(notes, 'sleep', { ms: 30_000 }))
        expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('may still take effect') })
        expect(await call(notes, 'cancelled')).toEqual({ ok: true, content: 'slept-30000' })
      },
      { callTimeoutMs: 400 },
    ))

  test('ends with its rollout, and the server is told', () =>
    withNotes(odd(), async (notes) => {
      const stop = new AbortController()
      const waiting = notes.call('sleep', { ms: 20_000 }, stop.signal)
      setTimeout(() => stop.abort(new Error('the rollout is over')), 200)
      await expect(waiting).rejects.toThrow('the rollout is over')
      expect(await call(notes, 'cancelled')).toEqual({ ok: true, content: 'slept-20000' })
    }))

  test('many calls under one signal leave nothing on it', () =>
    withNotes(odd(), async (notes) => {
      const warnings: Error[] = []
      process.on('warning', (warning) => void warnings.push(warning))
      const { signal } = new AbortController()
      for (let index = 0; index < 40; index++) await notes.call('pid', {}, signal)
      expect(warnings).toEqual([])
    }))
})
