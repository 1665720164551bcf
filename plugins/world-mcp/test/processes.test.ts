import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secret } from 'rlenv'
import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  environmentNamed,
  never,
  notesOptions,
  notesServer,
  openNotes,
  openWorld,
  withNotes,
} from './notes-server.ts'

const odd = (...modes: readonly string[]) => notesServer(['odd', ...modes])
const errorOf = (result: Awaited<ReturnType<typeof call>>) => (result.ok ? null : result.error)

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** Processes of a group besides those that have ended. */
function groupOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === 0) return false
      try {
        const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return Number(pgrp) === group && state !== 'Z'
      } catch {
        return false
      }
    })
}

/** Folders of instances that are open, here or in another test file. */
function ownFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('rlenv-mcp-'))
}

async function until(holds: () => boolean, ms = 10_000): Promise<boolean> {
  const end = performance.now() + ms
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  return holds()
}

async function pidOf(instance: Parameters<typeof call>[0]): Promise<number> {
  const result = await call(instance, 'pid')
  return Number(result.ok && result.content)
}

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

const templates: string[] = []
afterEach(() => {
  for (const folder of templates.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('processes', () => {
  test('closing an instance ends its server and whatever that has started', async () => {
    const world = await openWorld([notesOptions(odd('family'))])
    const notes = await openNotes(world)
    const pid = await pidOf(notes)
    expect(await until(() => groupOf(pid).length === 2)).toBe(true)
    await notes.close()
    await notes.close()
    expect(await until(() => groupOf(pid).length === 0)).toBe(true)
    await world.close()
  })

  test('a server that ignores the end of its input and SIGTERM is killed', async () => {
    const world = await openWorld([notesOptions(odd('stubborn'))])
    const notes = await openNotes(world)
    const pid = await pidOf(notes)
    const started = performance.now()
    await notes.close()
    expect(isAlive(pid)).toBe(false)
    expect(performance.now() - started).toBeLessThan(4_000)
    await world.close()
  })

  test('closing the world ends every instance that is still open', async () => {
    const world = await openWorld([notesOptions(odd())])
    const pids = await Promise.all([openNotes(world), openNotes(world)].map(async (opening) => pidOf(await opening)))
    await world.close()
    expect(pids.filter(isAlive)).toEqual([])
    await expect(openNotes(world)).rejects.toThrow('the world is closed')
  })

  test('each instance has a server of its own, and state ends with it', async () => {
    const world = await openWorld([notesOptions(odd())])
    const [first, second] = [await openNotes(world), await openNotes(world)]
    expect(await pidOf(first)).not.toBe(await pidOf(second))
    await call(first, 'add_note', { title: 'milk' })
    expect(await call(second, 'list_notes')).toMatchObject({ content: { notes: [] } })
    await first.close()
    const third = await openNotes(world)
    expect(await call(third, 'list_notes')).toMatchObject({ content: { notes: [] } })
    await world.close()
  })

  test('of the environment, a server gets what it needs to run and what is listed, nothing else', async () => {
    process.env.WORLD_MCP_TEST_SECRET = 'hunter2-hunter2'
    process.env.WORLD_MCP_TEST_TOKEN = 'tok-123456'
    const env = { TOKEN: secret('WORLD_MCP_TEST_TOKEN'), MODE: 'plain' }
    const seen = await withNotes({ ...odd(), env }, async (notes) => call(notes, 'variables'))
    const variables = Object(seen.ok && seen.content) as Record<string, string>
    expect(variables).toMatchObject({ TOKEN: 'tok-123456', MODE: 'plain', PATH: process.env.PATH })
    expect(JSON.stringify(variables)).not.toContain('hunter2')
    expect(variables).not.toHaveProperty('WORLD_MCP_TEST_TOKEN')
  })

  test('a secret that is not set is named before a server starts', () =>
    expect(withNotes({ ...odd(), env: { A: secret('WORLD_MCP_TEST_UNSET') } }, async () => {})).rejects.toMatchObject({
      message: expect.stringContaining('WORLD_MCP_TEST_UNSET'),
    }))

  test('each instance has a copy of the workspace, which goes with it', async () => {
    const template = mkdtempSync(join(tmpdir(), 'world-mcp-template-'))
    templates.push(template)
    writeFileSync(join(template, 'inventory.csv'), 'sku,count\n')
    const server = { ...odd(), workspace: template, env: { STORE: '{workspace}/inventory.csv' } }
    const world = await openWorld([notesOptions(server)])
    const [first, second] = [await openNotes(world), await openNotes(world)]
    for (const one of [first, second]) {
      expect(await call(one, 'folder')).toEqual({ ok: true, content: '/workspace' })
      const variables = await call(one, 'variables')
      expect(variables).toMatchObject({ ok: true, content: { STORE: '/workspace/inventory.csv' } })
    }
    expect(await call(first, 'read', { path: '/workspace/inventory.csv' })).toEqual({
      ok: true,
      content: 'sku,count\n',
    })
    await call(first, 'write', { path: '/workspace/inventory.csv', text: 'in /workspace, not /workspaces' })
    const written = await call(first, 'read', { path: '/workspace/inventory.csv' })
    expect(written).toEqual({ ok: true, content: 'in /workspace, not /workspaces' })
    expect(await call(second, 'read', { path: '/workspace/inventory.csv' })).toEqual({
      ok: true,
      content: 'sku,count\n',
    })
    const folders = ownFolders()
    expect(folders.length).toBeGreaterThanOrEqual(2)
    await world.close()
    expect(ownFolders().filter((folder) => folders.includes(folder))).toEqual([])
    expect(existsSync(join(template, 'inventory.csv'))).toBe(true)
  })
})

describe('the pool', () => {
  test('never opens more than maxConcurrent instances; the next one waits in line, which the log says', async () => {
    const log: string[] = []
    const world = await openWorld([notesOptions(odd())], { maxConcurrent: 2 }, log)
    const [first, second] = [await openNotes(world), await openNotes(world)]
    let isOpen = false
    const third = openNotes(world).then((instance) => {
      isOpen = true
      return instance
    })
    const gone = new AbortController()
    const fourth = openNotes(world, gone.signal)
    gone.abort(new Error('not needed'))
    await expect(fourth).rejects.toThrow('not needed')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isOpen).toBe(false)
    await first.close()
    expect(await pidOf(await third)).not.toBe(await pidOf(second))
    expect(log.filter((line) => line.includes('rollout.maxConcurrentRollouts'))).toHaveLength(1)
    await world.close()
  })

  test('has the next server ready, and passes over one that died while it waited', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'world-mcp-starts-'))
    templates.push(folder)
    const file = join(folder, 'starts')
    writeFileSync(file, '')
    const started = () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number)
    const world = await openWorld([notesOptions({ ...odd(), env: { STARTS: file } })], { prefetch: 1 })
    world.prepare?.(environmentNamed('notes'))
    world.prepare?.(environmentNamed('notes'))
    expect(await until(() => started().length > 0)).toBe(true)
    const first = await openNotes(world)
    expect(await pidOf(first)).toBe(started()[0])
    expect(await until(() => started().length === 2)).toBe(true)
    process.kill(started()[1]!, 'SIGKILL')
    expect(await until(() => !isAlive(started()[1]!))).toBe(true)
    const second = await openNotes(world)
    expect(await pidOf(second)).not.toBe(started()[1])
    await world.close()
    expect(started().filter(isAlive)).toEqual([])
  })

  test('an environment without a server is refused by name', async () => {
    const world = await openWorld([notesOptions()])
    await expect(
      (async () => world.open({ environment: environmentNamed('letters'), seed: 0 }, never))(),
    ).rejects.toThrow(/"letters".*notes/)
    await world.close()
  })
})
