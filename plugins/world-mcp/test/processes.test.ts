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
import { groupOf, isAlive, pidOf, until } from './process-table.ts'

const odd = (...modes: readonly string[]) => notesServer(['odd', ...modes])

/** Folders of instances that are open, here or in another test file. */
function ownFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('rlenv-mcp-'))
}

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
