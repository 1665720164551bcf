import type { Json, ToolErrorKind, World, WorldInstance } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FailingServers, type ServerKind, type Way } from './failing-server.ts'
import { call, notesOptions, openNotes, openWorld } from './notes-server.ts'

const ways: readonly Way[] = ['stdio', 'stream', 'json']
const kinds: readonly ServerKind[] = ['typed', 'plain']

describe.each(ways.flatMap((way) => kinds.map((kind) => ({ kind, way }))))(
  'a $kind server over $way',
  ({ kind, way }) => {
    const servers = new FailingServers()
    let world: World
    let instance: WorldInstance
    beforeAll(async () => {
      world = await openWorld([notesOptions(await servers.start(kind, way))], { callTimeoutMs: 2_500 })
      instance = await openNotes(world)
    })
    afterAll(async () => {
      await world.close()
      servers.stop()
    })

    async function expectError(tool: string, expected: ToolErrorKind, args: Json = {}) {
      const result = await call(instance, tool, args)
      expect(result).toMatchObject({ ok: false, error: { kind: expected } })
      if (expected === 'environment_fault') expect(result).toMatchObject(messageWith(`${tool} failed`))
      return result
    }
    const messageWith = (words: string) => ({ error: { message: expect.stringContaining(words) } })

    test.each([
      [-32700, 'environment_fault', 'environment_fault'],
      [-32600, 'environment_fault', 'environment_fault'],
      [-32603, 'environment_fault', 'environment_fault'],
      [-32000, 'environment_fault', 'environment_fault'],
      [-32001, 'environment_fault', 'environment_fault'],
      [-32042, 'environment_fault', 'environment_fault'],
      [-32601, 'environment_fault', 'environment_fault'],
      [-32602, 'invalid_arguments', 'invalid_arguments'],
      [-32002, 'business_rejection', 'mcp_error_32002'],
      [7, 'business_rejection', 'mcp_error_7'],
    ] as const)('error %i, thrown by a tool that it lists, is %s', async (code, expected, named) => {
      const result = await expectError('coded', expected, { code })
      expect(result).toMatchObject({
        error: { code: named, message: expect.stringMatching(/: .*the words of the tool$/) },
      })
      expect(result).not.toMatchObject(messageWith('MCP error'))
    })

    test('error -32602 is its own where the tool has an output schema, for the arguments keep the input schema', async () => {
      await expectError('coded_typed', 'environment_fault', { code: -32602 })
      await expectError('coded_typed', 'business_rejection', { code: -32002 })
    })

    test('error -32602 speaks of arguments that break a format of the input schema, whatever the tool promises', async () => {
      await expectError('link', 'invalid_arguments', { link: 'no link' })
      await expectError('link_typed', 'invalid_arguments', { link: 'no link' })
      await expectError('link_typed', 'environment_fault', { link: 'https://example.org' })
    })

    test('a result that breaks its output schema is its own fault; without one anything goes', async () => {
      await expectError('unlike_schema_typed', 'environment_fault')
      await expectError('without_structure_typed', 'environment_fault')
      expect(await call(instance, 'unlike_schema')).toMatchObject({ ok: true })
      expect(await call(instance, 'without_structure')).toMatchObject({ ok: true })
    })

    test.each(['refusal', 'refusal_typed', 'said_error', 'said_error_typed'])(
      '%s is a refusal in its own words',
      async (tool) => {
        expect(await expectError(tool, 'business_rejection')).toMatchObject({ error: { code: 'tool_error' } })
      },
    )

    test('what cannot be written down as JSON is noticed where the answer ends without it', async () => {
      const expected = way === 'stream' ? 'environment_fault' : 'timeout'
      await expectError('big_number', expected)
      await expectError('big_number_typed', expected)
    })
  },
)

describe.each(ways)('what only one kind of server does, over %s', (way) => {
  const servers = new FailingServers()
  const worlds: World[] = []
  afterAll(async () => {
    for (const world of worlds) await world.close()
    servers.stop()
  })

  async function errorKinds(kind: ServerKind, calls: Readonly<Record<string, Json>>) {
    const world = await openWorld([notesOptions(await servers.start(kind, way))], { callTimeoutMs: 2_500 })
    worlds.push(world)
    const instance = await openNotes(world)
    const found: Record<string, ToolErrorKind | null> = {}
    for (const [tool, args] of Object.entries(calls)) {
      const result = await call(instance, tool, args)
      found[tool] = result.ok ? null : result.error.kind
    }
    return found
  }

  test('the McpServer sends errors of its tools as results, so that an error of the protocol is about a result', async () => {
    const found = await errorKinds('typed', {
      nothing: {},
      nothing_typed: {},
      throws: {},
      throws_typed: {},
      coded: { code: -32602 },
    })
    expect(found).toEqual({
      nothing: 'environment_fault',
      // It trips over such a result itself, and nothing in the text that it makes of that tells it from a refusal.
      nothing_typed: 'business_rejection',
      throws: 'business_rejection',
      throws_typed: 'business_rejection',
      coded: 'invalid_arguments',
    })
  })

  test('a rule that the published schema withholds is about arguments only where no result was promised', async () => {
    expect(await errorKinds('typed', { even: { n: 1 }, even_typed: { n: 1 } })).toEqual({
      even: 'invalid_arguments',
      even_typed: 'environment_fault',
    })
  })

  test('the low-level Server sends errors of its tools and of results alike', async () => {
    const found = await errorKinds('plain', { nothing: {}, nothing_typed: {}, throws: {}, throws_typed: {} })
    expect(found).toEqual({
      nothing: 'invalid_arguments',
      nothing_typed: 'environment_fault',
      throws: 'environment_fault',
      throws_typed: 'environment_fault',
    })
  })

  test('a tool that is gone from the list is unknown, whichever code says so', async () => {
    expect(await errorKinds('plain', { leaves_32601: {}, leaves_32602: {} })).toEqual({
      leaves_32601: 'unknown_tool',
      leaves_32602: 'unknown_tool',
    })
  })

  test('arguments that the server alone can check are not known to keep the schema', async () => {
    expect(await errorKinds('plain', { unreadable_typed: {} })).toEqual({ unreadable_typed: 'invalid_arguments' })
  })
})
