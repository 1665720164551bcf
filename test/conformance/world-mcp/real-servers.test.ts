import { type McpEnvironmentOptions, mcpEnvironment, mcpWorld } from '@rlenv/world-mcp'
import { assemblePipeline, type CapturedState, type Json, type WorldInstance } from 'rlenv'
import { describeWorld, testSlotContext } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import { everything, filesystem, memory } from './real-servers.ts'

const { signal } = new AbortController()

for (const options of [everything, filesystem, memory]) {
  describe(`server-${options.id}`, async () => {
    describeWorld(() => mcpWorld({ environments: [options] }), await mcpEnvironment(options))
  })
}

async function withInstance<T>(
  options: McpEnvironmentOptions,
  use: (instance: WorldInstance) => Promise<T>,
): Promise<T> {
  const plugins = [mcpWorld({ environments: [options], prefetch: 0 })]
  const pipeline = await assemblePipeline([{ name: 'test', plugins }])
  const world = await pipeline.slot('world', testSlotContext())
  const instance = await world.open({ environment: await mcpEnvironment(options), seed: 0 }, signal)
  try {
    return await use(instance)
  } finally {
    await instance.close()
    await world.close()
  }
}

async function call(instance: WorldInstance, tool: string, args: Json = {}) {
  return (await instance.call(tool, args, signal)).result
}

async function state(instance: WorldInstance): Promise<CapturedState> {
  const captured = await instance.capture()
  if (captured === null) throw new Error('this world shows no state')
  return captured
}

describe('server-everything', () => {
  test('its kinds of content are read or described', () =>
    withInstance(everything, async (instance) => {
      expect(await call(instance, 'echo', { message: 'hällo' })).toEqual({ ok: true, content: 'Echo: hällo' })
      expect(await call(instance, 'get-structured-content', { location: 'Chicago' })).toMatchObject({
        ok: true,
        content: { temperature: expect.any(Number), conditions: expect.any(String), humidity: expect.any(Number) },
      })
      const image = await call(instance, 'get-tiny-image')
      expect(image).toMatchObject({ content: expect.stringMatching(/\[image image\/png, \d+ bytes\]/) })
      const links = await call(instance, 'get-resource-links', { count: 2 })
      expect(links).toMatchObject({ content: expect.stringMatching(/\[resource demo:\/\/.*\n\[resource demo:\/\//) })
      const resource = await call(instance, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 })
      expect(resource).toMatchObject({ content: expect.stringContaining('[resource demo://resource/dynamic/text/1') })
    }))

  test('an argument outside its enumeration or range never reaches it', () =>
    withInstance(everything, async (instance) => {
      const wrong = [
        ['get-structured-content', { location: 'Paris' }],
        ['get-resource-links', { count: 11 }],
        ['get-sum', { a: '1', b: 2 }],
      ] as const
      for (const [tool, args] of wrong) {
        expect(await call(instance, tool, args)).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } })
      }
    }))

  test('it sees no variable of this process but those that it needs', () =>
    withInstance(everything, async (instance) => {
      process.env.WORLD_MCP_CONFORMANCE = 'must-not-be-seen'
      const seen = await call(instance, 'get-env')
      expect(JSON.stringify(seen)).toContain('PATH')
      expect(JSON.stringify(seen)).not.toContain('must-not-be-seen')
    }))

  test('a call that takes too long is a timeout, and others still run', async () => {
    const plugins = [mcpWorld({ environments: [everything], callTimeoutMs: 1_000 })]
    const pipeline = await assemblePipeline([{ name: 'test', plugins }])
    const world = await pipeline.slot('world', testSlotContext())
    const instance = await world.open({ environment: await mcpEnvironment(everything), seed: 0 }, signal)
    const late = await call(instance, 'trigger-long-running-operation', { duration: 30, steps: 3 })
    expect(late).toMatchObject({ ok: false, error: { kind: 'timeout' } })
    expect(await call(instance, 'get-sum', { a: 1, b: 2 })).toMatchObject({ ok: true })
    await world.close()
  })
})

describe('server-filesystem', () => {
  test('each instance works on a copy, whose place does not show', () =>
    withInstance(filesystem, async (instance) => {
      const allowed = await call(instance, 'list_allowed_directories')
      expect(JSON.stringify(allowed)).toContain('/workspace')
      const path = '/workspace/notes/today.md'
      await call(instance, 'create_directory', { path: '/workspace/notes' })
      expect(await call(instance, 'write_file', { path, content: 'see /workspace/stock.csv' })).toMatchObject({
        ok: true,
        content: { content: expect.stringContaining(path) },
      })
      const read = await call(instance, 'read_text_file', { path })
      expect(read).toEqual({ ok: true, content: { content: 'see /workspace/stock.csv' } })
      expect(JSON.stringify(await call(instance, 'directory_tree', { path: '/workspace' }))).toContain('today.md')
    }))

  test('what lies outside is refused by the server, as a refusal', () =>
    withInstance(filesystem, async (instance) => {
      const outside = await call(instance, 'read_text_file', { path: '/etc/passwd' })
      expect(outside).toMatchObject({ ok: false, error: { kind: 'business_rejection' } })
    }))

  test('a changed file shows in the state', () =>
    withInstance(filesystem, async (instance) => {
      expect((await state(instance)).diff).toEqual([])
      await call(instance, 'write_file', { path: '/workspace/orders.txt', content: 'chair 3\n' })
      const { diff } = await state(instance)
      expect(diff.map(({ kind, table }) => `${kind} ${table}`).sort()).toEqual(['delete values', 'insert values'])
    }))
})

describe('server-memory', () => {
  test('its graph is a state of tables, empty again in the next instance', async () => {
    const [task] = memory.tasks
    await withInstance(memory, async (instance) => {
      for (const { tool, arguments: args } of task?.calls ?? []) await call(instance, tool, args)
      const { initial, final, diff } = await state(instance)
      expect(initial.rows('entities')).toEqual([])
      expect(final.rows('entities')).toEqual([{ name: 'Ada', entityType: 'person', observations: '["likes tea"]' }])
      expect(diff).toHaveLength(1)
      const found = await call(instance, 'search_nodes', { query: 'tea' })
      expect(found).toMatchObject({ ok: true, content: { entities: [{ name: 'Ada' }] } })
    })
    await withInstance(memory, async (instance) => {
      expect((await state(instance)).initial.rows('entities')).toEqual([])
    })
  })
})
